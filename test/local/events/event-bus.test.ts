import { expect, it } from 'vitest';
import { type BusEvent, createEventBus } from '../../../cdk/local/events/event-bus.ts';

const entry = { EventBusName: 'petstore', Source: 'x', DetailType: 'y', Detail: '{"a":1}' };
/** With the time, and without a detail, an entry has 16 bytes. */
const ofSize = (bytes: number) => ({ ...entry, Time: 5, Detail: 'x'.repeat(bytes - 16) });

it('a local bus returns an error for an entry that EventBridge rejects, and passes on the others', () => {
  const bus = createEventBus('petstore');
  const events: BusEvent[] = [];
  bus.listeners.add(event => events.push(event));
  const rejected = [
    { EventBusName: 'other' },
    { Source: '' },
    { DetailType: undefined },
    { Detail: '[]' },
    { Detail: '' },
  ];
  const result = bus.putEvents({
    Entries: [...rejected.map(change => ({ ...entry, ...change })), { ...entry, Time: 5 }],
  });
  const [invalid, malformed] = ['InvalidArgument', 'MalformedDetail'].map(code =>
    expect.objectContaining({ ErrorCode: code }),
  );
  const [event] = events;
  const Entries = [invalid, invalid, invalid, malformed, malformed, { EventId: event!.id }];
  expect(result).toEqual({ FailedEntryCount: 5, Entries });
  const time = '1970-01-01T00:00:05.000Z';
  expect(events).toEqual([{ id: expect.any(String), source: 'x', 'detail-type': 'y', time, detail: { a: 1 } }]);
});

it.each([
  ['no entry', []],
  ['11 entries', Array(11).fill(entry)],
  ['a byte more than 256 KB', [ofSize(131_072), ofSize(131_073)]],
])('a local bus rejects a request with %s', (_, Entries) => {
  const bus = createEventBus('petstore');
  expect(() => bus.putEvents({ Entries })).toThrow(/A request has 1 to 10|over the limit/);
  expect(bus.putEvents({ Entries: [ofSize(131_072), ofSize(131_072)] })).toMatchObject({ FailedEntryCount: 2 });
});

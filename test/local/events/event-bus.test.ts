import { expect, it } from 'vitest';
import { type BusEvent, createEventBus } from '../../../cdk/local/events/event-bus.ts';

const entry = { EventBusName: 'petstore', Source: 'x', DetailType: 'y', Detail: '{"a":1}' };
/** With the time, and without a detail, an entry has 16 bytes. */
const ofSize = (bytes: number) => ({ ...entry, Time: 5, Detail: 'x'.repeat(bytes - 16) });

it('passes on an entry with its time, or the current one', () => {
  const bus = createEventBus('petstore');
  const events: BusEvent[] = [];
  bus.listeners.add(event => events.push(event));
  bus.putEvents({ Entries: [{ ...entry, Time: 5 }, entry] });
  const event = { id: expect.any(String), source: 'x', 'detail-type': 'y', detail: { a: 1 } };
  const current = expect.stringMatching(/^20.*Z$/);
  expect(events).toEqual(['1970-01-01T00:00:05.000Z', current].map(time => ({ ...event, time })));
});

it.each([
  [{ EventBusName: 'other' }, 'InvalidArgument'],
  [{ Source: '' }, 'InvalidArgument'],
  [{ DetailType: undefined }, 'InvalidArgument'],
  [{ Detail: '[]' }, 'MalformedDetail'],
  [{ Detail: 'null' }, 'MalformedDetail'],
  [{ Detail: '' }, 'MalformedDetail'],
])('rejects an entry with %j as %s, and no other', (change, ErrorCode) => {
  const Entries = [
    { ErrorCode, ErrorMessage: expect.any(String) },
    { EventId: expect.any(String) },
  ];
  const result = createEventBus('petstore').putEvents({
    Entries: [{ ...entry, ...change }, entry],
  });
  expect(result).toEqual({ FailedEntryCount: 1, Entries });
});

it.each([
  ['no entry', []],
  ['11 entries', Array(11).fill(entry)],
  ['a byte more than 256 KB', [ofSize(131_072), ofSize(131_073)]],
])('rejects a request with %s', (_, Entries) => {
  const bus = createEventBus('petstore');
  expect(() => bus.putEvents({ Entries })).toThrow(/A request has 1 to 10|over the limit/);
  expect(bus.putEvents({ Entries: [ofSize(131_072), ofSize(131_072)] })).toMatchObject({
    FailedEntryCount: 2,
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentEventsOf, eventsOf } from '../../../lib/events/changes.ts';
import { toCloudEvent } from '../../../lib/events/cloud-event.ts';
import { categoryItem, orderItem as order, petItem as pet } from '../../support/items.ts';

const changeEvents = (before?: object, after?: object) => eventsOf(before as never, after as never);
const typesOf = (events: readonly { type: string }[]) =>
  events.map(({ type }) => type.replace('petstore.', '')).join();

// test/events/publishing.test.ts has the other types, and test/events/model.test.ts those of random changes.
describe('the events of a change', () => {
  it.each<[what: string, before: object | undefined, after: object | undefined, types: string]>([
    ['the name of a pet', pet(), pet({ name: 'Kit' }, 2), 'pet.updated'],
    [
      'the reserved quantity of a pet alone, which no response has',
      pet(),
      pet({ reservedQuantity: 2 }, 2),
      '',
    ],
    [
      'a complete order',
      order({ complete: true }),
      order({ complete: true, quantity: 1 }, 3),
      'order.updated',
    ],
    [
      'the deletion of an open order by an operator',
      order({ deletedByOperator: true }, 2),
      undefined,
      'order.deleted',
    ],
  ])('%s', (_, before, after, types) => {
    expect(typesOf(changeEvents(before, after))).toBe(types);
  });

  it('have the write count 1 of an item without one', () => {
    const { writeCount: _, ...old } = pet();
    expect(
      changeEvents(old, pet({ availableQuantity: 2 }, 1)).map(({ writeCount }) => writeCount),
    ).toEqual([1]);
    expect(changeEvents(old, undefined).map(({ writeCount }) => writeCount)).toEqual([1, 1]);
  });

  it.each([
    ['no images', undefined, undefined],
    ['an item whose write count is no number', undefined, { ...pet(), writeCount: 'many' }],
    [
      'an item with the sort key "constructor"',
      undefined,
      { pk: 'PET#1', sk: 'constructor', writeCount: 1 },
    ],
  ])('cannot be derived from %s', (_, before, after) => {
    expect(() => changeEvents(before, after)).toThrow();
  });
});

describe('the events of the current state', () => {
  it.each([
    ['a new pet', pet(), 'pet.created,inventory.updated'],
    ['a changed pet', pet({}, 3), 'pet.updated,inventory.updated'],
    ['an open order', order(), 'order.placed'],
    ['a changed order', order({}, 2), 'order.updated'],
    [
      'an order that was created complete',
      order({ complete: true }),
      'order.placed,order.completed',
    ],
  ])('%s', (_, item, types) => {
    expect(typesOf(currentEventsOf(item as never))).toBe(types);
  });

  it('are those of the last change, if it had any', () => {
    const completed = order({ complete: true }, 2);
    expect(currentEventsOf(completed as never)).toEqual(changeEvents(order(), completed));
  });
});

describe('an event', () => {
  const time = new Date('2027-03-01T12:30:45.678Z');
  const [itemEvent] = changeEvents(order(), order({ complete: true }, 12));
  const eventOf = (writeCount: number, generation: number) =>
    toCloudEvent({ ...itemEvent!, writeCount }, { source: '/petstore/prod', generation }, time);

  it('is a CloudEvent whose id is made of subject, generation, write count and type', () => {
    expect(eventOf(12, 2)).toEqual({
      specversion: '1.0',
      id: 'store/orders/9/0002-0000000000000012/completed',
      source: '/petstore/prod',
      type: 'petstore.order.completed',
      subject: 'store/orders/9',
      time: '2027-03-01T12:30:45Z',
      datacontenttype: 'application/json',
      sequence: '0002-0000000000000012',
      clientid: 'shop',
      data: { id: 9, petId: 7, quantity: 2, complete: true },
    });
  });

  it('has a sequence that sorts as text by generation and write count', () => {
    const generation = fc.integer({ min: 1, max: 9999 });
    const isSorted = (g1: number, c1: number, g2: number, c2: number) => {
      const [a, b] = [eventOf(c1, g1).sequence, eventOf(c2, g2).sequence];
      expect(a < b ? -1 : a > b ? 1 : 0).toBe(Math.sign(g1 - g2) || Math.sign(c1 - c2));
    };
    fc.assert(fc.property(generation, fc.maxSafeNat(), generation, fc.maxSafeNat(), isSorted));
  });

  it('with the largest pet or category is so small that ten fit into one PutEvents call', () => {
    // A control character takes six bytes in the detail. PutEvents formerly accepted 256 KB; this demands half of that.
    const largest = { id: 3, name: '🐈'.repeat(100), description: '\u0001'.repeat(1000) };
    const [big] = changeEvents(undefined, categoryItem(largest));
    const detail = JSON.stringify(
      toCloudEvent(big!, { source: '/petstore/prod', generation: 1 }, time),
    );
    expect(10 * Buffer.byteLength(detail)).toBeLessThan(128 * 1024);
  });
});

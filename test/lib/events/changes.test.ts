import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentEventsOf, eventsOf } from '../../../lib/events/changes.ts';
import { toCloudEvent } from '../../../lib/events/cloud-event.ts';
import { eventTypes } from '../../../lib/events/event-types.ts';
import { storedCategory } from '../../../lib/model/category-item.ts';
import { type OrderItem, storedOrder } from '../../../lib/model/order-item.ts';
import { newPetItem, type PetItem, storedPet } from '../../../lib/model/pet-item.ts';

const tom: PetItem = newPetItem(7, { name: 'Tom', categoryId: 3, status: 'available' });
const pet = (changes: Partial<PetItem> = {}, writeCount = 1) => ({ ...storedPet({ ...tom, ...changes }), writeCount });
const category = (changes: object = {}, writeCount = 1) => ({
  ...storedCategory({ id: 3, name: 'Cats' }),
  ...changes,
  writeCount,
});
const placed: OrderItem = {
  id: 9,
  petId: 7,
  quantity: 2,
  complete: false,
  ownerId: 'anna',
  clientId: 'shop',
  version: 1,
};
const order = (changes: Partial<OrderItem> = {}, writeCount = 1) => ({
  ...storedOrder({ ...placed, ...changes }),
  writeCount,
});

const changeEvents = (before?: object, after?: object) => eventsOf(before as never, after as never);
const typesOf = (before?: object, after?: object) =>
  changeEvents(before, after).map(({ type }) => type.replace('petstore.', ''));

describe('a change of a pet', () => {
  it('that creates it has pet.created and inventory.updated, with write count 1', () => {
    expect(changeEvents(undefined, pet())).toEqual([
      {
        ...{ type: 'petstore.pet.created', id: 7, writeCount: 1 },
        data: { id: 7, name: 'Tom', categoryId: 3, status: 'available' },
      },
      {
        type: 'petstore.inventory.updated',
        id: 7,
        writeCount: 1,
        data: { petId: 7, quantity: 1, status: 'available' },
      },
    ]);
  });

  it.each([
    ['its name', { name: 'Kit' }, ['pet.updated']],
    ['its category', { categoryId: 4 }, ['pet.updated']],
    ['its status, which inventory includes as well', { status: 'sold' as const }, ['pet.updated', 'inventory.updated']],
    ['its available quantity', { availableQuantity: 4 }, ['inventory.updated']],
    ['its reserved quantity alone, which no response has', { reservedQuantity: 2 }, []],
    ['onHold alone', { onHold: true }, []],
    ['its version alone', { version: 5 }, []],
    ['its write count alone', {}, []],
  ])('in %s has the right events', (_, changes, types) => {
    expect(typesOf(pet(), pet(changes, 2))).toEqual(types);
  });

  it('has the pet after the change, with the write count of the change', () => {
    expect(changeEvents(pet({}, 4), pet({ name: 'Kit' }, 5))).toEqual([
      {
        ...{ type: 'petstore.pet.updated', id: 7, writeCount: 5 },
        data: { id: 7, name: 'Kit', categoryId: 3, status: 'available' },
      },
    ]);
  });

  it('that deletes it has pet.deleted and inventory.deleted with the last data, and the last write count + 1', () => {
    expect(changeEvents(pet({ availableQuantity: 3 }, 8), undefined)).toEqual([
      {
        ...{ type: 'petstore.pet.deleted', id: 7, writeCount: 9 },
        data: { id: 7, name: 'Tom', categoryId: 3, status: 'available' },
      },
      {
        type: 'petstore.inventory.deleted',
        id: 7,
        writeCount: 9,
        data: { petId: 7, quantity: 3, status: 'available' },
      },
    ]);
  });
});

describe('a change of a category', () => {
  it('has category.created, category.updated or category.deleted', () => {
    expect(changeEvents(undefined, category())).toEqual([
      { type: 'petstore.category.created', id: 3, writeCount: 1, data: { id: 3, name: 'Cats' } },
    ]);
    expect(changeEvents(category(), category({ description: 'They purr.' }, 2))).toEqual([
      {
        type: 'petstore.category.updated',
        id: 3,
        writeCount: 2,
        data: { id: 3, name: 'Cats', description: 'They purr.' },
      },
    ]);
    expect(changeEvents(category({}, 2), undefined)).toEqual([
      { type: 'petstore.category.deleted', id: 3, writeCount: 3, data: { id: 3, name: 'Cats' } },
    ]);
  });

  it('in the pet count has no event', () => {
    expect(changeEvents(category(), category({ petCount: 1 }, 2))).toEqual([]);
  });
});

describe('a change of an order', () => {
  it('that places it has order.placed with the client’s id beside the data', () => {
    expect(changeEvents(undefined, order())).toEqual([
      {
        ...{ type: 'petstore.order.placed', id: 9, writeCount: 1, clientId: 'shop' },
        data: { id: 9, petId: 7, quantity: 2, complete: false },
      },
    ]);
  });

  it('that creates it complete has order.placed and order.completed, with the same write count and data', () => {
    const [first, second, ...more] = changeEvents(
      undefined,
      order({ complete: true, shipDate: '2027-01-01T00:00:00Z' }),
    );
    expect([first!.type, second!.type, more]).toEqual(['petstore.order.placed', 'petstore.order.completed', []]);
    expect({ ...second, type: first!.type }).toEqual(first);
  });

  it.each([
    ['its ship date', order(), order({ shipDate: '2027-01-01T00:00:00Z' }, 2), ['order.updated']],
    ['its ship date, which is removed', order({ shipDate: '2027-01-01T00:00:00Z' }), order({}, 2), ['order.updated']],
    ['its completion', order(), order({ complete: true }, 2), ['order.completed']],
    ['both', order(), order({ complete: true, shipDate: '2027-01-01T00:00:00Z' }, 2), ['order.completed']],
    [
      'a complete order, by an operator',
      order({ complete: true }),
      order({ complete: true, quantity: 1 }, 3),
      ['order.updated'],
    ],
    ['its version alone', order(), order({ version: 2 }, 2), []],
    ['its deletion while it is open', order(), undefined, ['order.cancelled']],
    ['its deletion when it is complete', order({ complete: true }, 2), undefined, ['order.deleted']],
    ['deletedByOperator alone', order(), order({ deletedByOperator: true }, 2), []],
    [
      'its deletion after deletedByOperator, although it is open',
      order({ deletedByOperator: true }, 2),
      undefined,
      ['order.deleted'],
    ],
  ])('in %s has the right events', (_, before, after, types) => {
    expect(typesOf(before, after)).toEqual(types);
  });
});

describe('a change', () => {
  it.each([
    ['of an item of an unknown kind', undefined, { pk: 'DRAGON#1', sk: 'DRAGON', writeCount: 1 }],
    ['without images', undefined, undefined],
    ['of a pet without a name', pet(), { ...pet({}, 2), name: undefined }],
    ['of an order of half a unit', undefined, order({ quantity: 0.5 })],
    ['of an item whose write count is no number', undefined, { ...pet(), writeCount: 'many' }],
    ['of an item with the sort key "constructor"', undefined, { pk: 'PET#1', sk: 'constructor', writeCount: 1 }],
  ])('%s throws', (_, before, after) => {
    expect(() => changeEvents(before, after)).toThrow();
  });

  it('of an item without a write count has the write count 1', () => {
    const { writeCount: _, ...old } = pet();
    expect(changeEvents(old, pet({ availableQuantity: 2 }, 1)).map(({ writeCount: count }) => count)).toEqual([1]);
    expect(changeEvents(old, undefined).map(({ writeCount: count }) => count)).toEqual([1, 1]);
  });

  const anyPet = fc.record({
    name: fc.constantFrom('Tom', 'Kit'),
    categoryId: fc.constantFrom(3, 4),
    status: fc.constantFrom('available' as const, 'pending' as const, 'sold' as const),
    availableQuantity: fc.nat(2),
    reservedQuantity: fc.nat(2),
    onHold: fc.boolean(),
  });
  it('has an event exactly when a response with the item differs', () => {
    fc.assert(
      fc.property(anyPet, anyPet, (before, after) => {
        const differs = (names: (keyof typeof before)[]) => names.some(name => before[name] !== after[name]);
        expect(typesOf(pet(before), pet(after, 2))).toEqual([
          ...(differs(['name', 'categoryId', 'status']) ? ['pet.updated'] : []),
          ...(differs(['availableQuantity', 'status']) ? ['inventory.updated'] : []),
        ]);
      }),
    );
  });
});

describe('the current state of an item', () => {
  it.each([
    ['a new pet', pet(), ['pet.created', 'inventory.updated']],
    ['a changed pet', pet({}, 3), ['pet.updated', 'inventory.updated']],
    ['a new category', category(), ['category.created']],
    ['a changed category', category({ petCount: 1 }, 2), ['category.updated']],
    ['an open order', order(), ['order.placed']],
    ['a changed order', order({}, 2), ['order.updated']],
    ['a completed order', order({ complete: true }, 2), ['order.completed']],
    ['an order that was created complete', order({ complete: true }), ['order.placed', 'order.completed']],
  ])('has the right events: %s', (_, item, types) => {
    expect(currentEventsOf(item as never).map(({ type }) => type.replace('petstore.', ''))).toEqual(types);
  });

  it('has the events of the last change, if the last change had any', () => {
    expect(currentEventsOf(order({ complete: true }, 2) as never)).toEqual(
      changeEvents(order(), order({ complete: true }, 2)),
    );
  });
});

describe('an event', () => {
  const time = new Date('2027-03-01T12:30:45.678Z');
  const [itemEvent] = changeEvents(order(), order({ complete: true }, 12));
  const event = toCloudEvent(itemEvent!, { source: '/petstore/prod', generation: 2 }, time);

  it('is a CloudEvent whose id is made of subject, generation, write count and type', () => {
    expect(event).toEqual({
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
    const count = fc.maxSafeNat();
    const sequence = (g: number, c: number) =>
      toCloudEvent({ ...itemEvent!, writeCount: c }, { source: 's', generation: g }, time).sequence;
    fc.assert(
      fc.property(generation, count, generation, count, (g1, c1, g2, c2) => {
        const expected = g1 === g2 ? Math.sign(c1 - c2) : Math.sign(g1 - g2);
        const [a, b] = [sequence(g1, c1), sequence(g2, c2)];
        expect(a < b ? -1 : a > b ? 1 : 0).toBe(expected);
      }),
    );
  });

  it('has attribute names of lower-case letters and digits, as CloudEvents requires', () => {
    expect(Object.keys(event).filter(name => !/^[a-z0-9]{1,20}$/.test(name))).toEqual([]);
  });

  it('with the largest pet or category is so small that ten fit into one PutEvents call', () => {
    // A quotation mark is two bytes in the detail, a control character six; 256 KB was the limit before it was 1 MB.
    const largest = { ...category({ name: '🐈'.repeat(100), description: '\u0001'.repeat(1000) }, 2) };
    const [big] = changeEvents(category(), largest);
    const detail = JSON.stringify(toCloudEvent(big!, { source: '/petstore/prod', generation: 1 }, time));
    expect(10 * Buffer.byteLength(detail)).toBeLessThan(128 * 1024);
  });

  it('has a type whose path in the table of event types is the path of its resource', () => {
    for (const [type, { path }] of Object.entries(eventTypes)) {
      const noun = type.split('.')[1]!;
      expect(path).toBe(
        { pet: 'pets', category: 'pets/categories', inventory: 'store/inventory', order: 'store/orders' }[noun],
      );
    }
  });
});

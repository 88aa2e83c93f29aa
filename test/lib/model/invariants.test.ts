import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedCategory } from '../../../lib/model/category-item.ts';
import { violationsOfChange } from '../../../lib/model/invariants.ts';
import { type Stored, violationsOfItem } from '../../../lib/model/item-invariants.ts';
import { storedOrder } from '../../../lib/model/order-item.ts';
import { newPetItem, storedPet } from '../../../lib/model/pet-item.ts';

const tom = newPetItem(7, { name: 'Tom', categoryId: 3, status: 'available' });
const pet = { ...storedPet(tom), writeCount: 1 };
const held = { ...storedPet({ ...tom, status: 'sold', onHold: true }), writeCount: 1 };
const category = { ...storedCategory({ id: 3, name: 'Cats' }), writeCount: 1 };
const placed = { id: 9, petId: 7, quantity: 2, complete: false, ownerId: 'anna', clientId: 'shop', version: 1 };
const order = { ...storedOrder(placed), writeCount: 1 };
const sale = { ...storedOrder({ ...placed, complete: true, shipDate: '2027-01-01T00:00:00Z' }), writeCount: 1 };

const namesOf = (before?: Stored, after?: Stored, shards = 1) =>
  [...violationsOfChange(before, after, shards)].map(({ invariant, attribute }) => `${invariant} ${attribute}`);

/** The item after another write. */
const next = (item: Stored, changes: Stored = {}) => ({ ...item, writeCount: item.writeCount + 1, ...changes });

describe('the invariants of a new item', () => {
  it.each<[string, Stored]>([
    ['a pet', pet],
    ['a pet on hold', held],
    ['a category', category],
    ['an order', order],
    ['a complete order', sale],
  ])('hold for %s', (_, item) => {
    expect(namesOf(undefined, item)).toEqual([]);
    expect(namesOf(undefined, item, 4)).toEqual([]);
  });

  it.each<[string, Stored]>([
    ['key_has_id id', { ...category, id: 4 }],
    ['attributes_are_scalar availableQuantity', { ...pet, availableQuantity: 2n ** 60n }],
    ['attributes_are_scalar name', { ...pet, name: new Set(['Tom']) }],
    ['attributes_have_types name', { ...pet, name: 7 }],
    ['attributes_have_types description', { ...category, description: false }],
    ['attributes_have_types shipDate', { ...order, shipDate: 20270101 }],
    ['attributes_have_types clientId', { ...order, clientId: undefined }],
    ['numbers_in_bounds categoryId', { ...storedPet({ ...tom, categoryId: 0 }), writeCount: 1 }],
    ['numbers_in_bounds availableQuantity', { ...held, availableQuantity: -1 }],
    ['numbers_in_bounds reservedQuantity', { ...pet, reservedQuantity: -1 }],
    ['numbers_in_bounds petCount', { ...category, petCount: -1 }],
    ['numbers_in_bounds petCount', { ...category, petCount: undefined }],
    ['numbers_in_bounds id', { ...pet, id: '7' }],
    [
      'status_follows_stock status',
      { ...storedPet({ ...tom, status: 'lost' as 'sold', onHold: true }), writeCount: 1 },
    ],
    ['attributes_have_types onHold', { ...pet, onHold: undefined }],
    ['attributes_have_types ownerId', { ...storedOrder({ ...placed, ownerId: 7 as never }), writeCount: 1 }],
    ['numbers_in_bounds quantity', { ...order, quantity: 0 }],
    ['numbers_in_bounds version', { ...order, version: 0 }],
    ['numbers_in_bounds id', { ...storedOrder({ ...placed, id: 0 }), writeCount: 1 }],
    ['numbers_in_bounds quantity', { ...order, quantity: 10_001 }],
    ['numbers_in_bounds petId', { ...order, petId: '7' }],
    ['numbers_in_bounds version', { ...order, version: 1.5 }],
    ['status_follows_stock status', { ...pet, availableQuantity: 0 }],
    ['status_follows_stock status', { ...storedPet({ ...tom, status: 'sold' }), writeCount: 1 }],
    ['hold_is_unavailable onHold', { ...pet, onHold: true }],
    ['complete_order_has_ship_date shipDate', { ...sale, shipDate: undefined }],
    ['partitions_match all', { ...pet, all: 'PETS#1' }],
    ['partitions_match byState', { ...pet, byState: 'PETS#sold#0' }],
    ['partitions_match byGroup', { ...pet, byGroup: undefined }],
    ['partitions_match byGroupAndState', { ...order, byGroupAndState: 'OWNER#anna#ORDERS#complete#0' }],
    ['partitions_match byGroup', { ...order, byGroup: 'OWNER#eve#ORDERS#0' }],
    ['partitions_match byPet', { ...order, byPet: 'PET#8#ORDERS#0' }],
    ['partitions_match byPetAndState', { ...order, byPetAndState: undefined }],
    ['partitions_match byPet', { ...pet, byPet: 'PET#7#ORDERS#0' }],
    ['partitions_match byState', { ...category, byState: 'CATEGORIES#0' }],
    ['write_count_increments writeCount', { ...order, writeCount: 2 }],
  ])('are violated: %s', (expected, item) => {
    expect(namesOf(undefined, item)).toEqual([expected]);
  });

  it('accept the partition of any number of shards up to the current one', () => {
    const inShard = (shard: number) => ({ ...order, all: `ORDERS#${shard}` });
    // 9 % 2 = 1, 9 % 4 = 1, 9 % 5 = 4
    expect([0, 1, 2, 4].map(shard => namesOf(undefined, inShard(shard), 4).length)).toEqual([0, 0, 1, 1]);
    expect([0, 1, 2, 4].map(shard => namesOf(undefined, inShard(shard), 5).length)).toEqual([0, 0, 1, 0]);
  });
});

describe('the invariants of a change', () => {
  it.each<[string, Stored, Stored]>([
    ['an order for the pet', pet, next(pet, { availableQuantity: 2 })],
    ['a name', pet, next(pet, { name: 'Kit', version: 2 })],
    ['a new quantity', pet, next(pet, { availableQuantity: 5, version: 2 })],
    ['a pet count', category, next(category, { petCount: 1 })],
    ['another owner', sale, next(sale, { clientId: 'other', version: 2 })],
    ['a mark by an operator', order, next(order, { deletedByOperator: true, version: 2 })],
  ])('hold for %s', (_, before, after) => {
    expect(namesOf(before, after)).toEqual([]);
  });

  it.each<[string, Stored, Stored | undefined]>([
    ['write_count_increments writeCount', pet, { ...pet, availableQuantity: 2 }],
    ['write_count_increments writeCount', next(pet), next(pet)],
    ['write_count_increments writeCount', pet, { ...pet, writeCount: 3 }],
    ['version_increments version', pet, next(pet, { name: 'Kit' })],
    ['version_increments version', next(pet, { version: 2 }), { ...pet, writeCount: 3 }],
    [
      'version_increments version',
      next(held, { onHold: false, availableQuantity: 0, version: 2 }),
      { ...held, availableQuantity: 0, version: 2, writeCount: 3 },
    ],
    ['version_increments version', category, next(category, { description: 'They purr.' })],
    ['version_increments version', { ...category, description: 'They purr.' }, next(category)],
    ['version_increments version', order, next(order, { shipDate: '2027-01-01T00:00:00Z' })],
    ['complete_order_is_final complete', sale, next(sale, { shipDate: '2028-01-01T00:00:00Z', version: 2 })],
    ['complete_order_is_final complete', sale, next(order, { version: 2 })],
    ['order_keeps_pet_and_quantity petId', order, next(order, { ...storedOrder({ ...placed, petId: 8 }), version: 2 })],
    ['order_keeps_pet_and_quantity quantity', order, next(order, { quantity: 3, version: 2 })],
    ['deleted_pet_has_no_open_orders reservedQuantity', { ...pet, reservedQuantity: 2 }, undefined],
    ['deleted_category_has_no_pets petCount', { ...category, petCount: 1 }, undefined],
  ])('are violated: %s', (expected, before, after) => {
    expect(namesOf(before, after)).toEqual([expected]);
  });

  it('hold for a deletion, and return nothing for other kinds of items', () => {
    expect([pet, category, order, sale].flatMap(item => namesOf(item, undefined))).toEqual([]);
    const others = [
      { pk: 'DRAGON#1', sk: 'DRAGON' },
      { pk: 'x', sk: 'toString' },
      { pk: 'IDEMPOTENCY#x', sk: 'IDEMPOTENCY' },
    ];
    for (const item of others) expect(namesOf(item, { ...item })).toEqual([]);
    expect([...violationsOfItem({ pk: 'x', sk: 'toString' }, 1)]).toEqual([]);
  });

  it('never throw, whatever an item contains', () => {
    const sk = fc.constantFrom('PET', 'CATEGORY', 'ORDER', 'IDEMPOTENCY');
    const value = fc.anything({ withBigInt: true, withSet: true, withTypedArray: true });
    const attributes = fc.dictionary(fc.constantFrom(...Object.keys({ ...pet, ...sale, ...category })), value);
    const item = fc.tuple(sk, attributes).map(([kind, rest]): Stored => ({ ...rest, sk: kind }));
    expect(namesOf({ ...pet, reservedQuantity: { toString: 1 } }, undefined)).toEqual([]);
    const unreadable = { ...pet, writeCount: { toString: 1 } };
    expect(namesOf(pet, unreadable)).toEqual(['attributes_are_scalar writeCount']);
    fc.assert(
      fc.property(fc.option(item, { nil: undefined }), fc.option(item, { nil: undefined }), (before, after) => {
        namesOf(before, after);
        if (after) [...violationsOfItem(after, 3)];
      }),
    );
  });
});

it('each invariant of a change is in the table of lib/events/README.md', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../../../lib', file), 'utf8');
  const sources = ['item-invariants', 'partition-invariants', 'invariants']
    .map(name => read(`model/${name}.ts`))
    .join('');
  const names = [...sources.matchAll(/invariant: '(\w+)'/g)].map(([, name]) => name);
  const section = read('events/README.md').split('## Invariants')[1]!.split('\n## ')[0]!;
  const documented = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(documented.sort()).toEqual(names.sort());
});

it('a violation has a text with the found and the expected value', () => {
  const textsOf = (before?: Stored, after?: Stored) =>
    [...violationsOfChange(before, after, 1)].map(({ text }) => text);
  expect(
    [
      textsOf(undefined, { ...category, id: 4 }),
      textsOf(undefined, { ...pet, name: new Set() }),
      textsOf(undefined, { ...pet, name: 7 }),
      textsOf(undefined, { ...order, quantity: 0 }),
      textsOf(undefined, { ...category, petCount: -1 }),
      textsOf(undefined, { ...pet, availableQuantity: 0 }),
      textsOf(undefined, { ...pet, onHold: true }),
      textsOf(undefined, { ...sale, shipDate: undefined }),
      textsOf(undefined, { ...pet, byState: 'PETS#sold#0' }),
      textsOf(undefined, { ...category, byState: 'CATEGORIES#0' }),
      textsOf(pet, { ...pet, writeCount: 3 }),
      textsOf(pet, next(pet, { name: 'Kit' })),
      textsOf(sale, next(sale, { shipDate: '2028-01-01T00:00:00Z', version: 2 })),
      textsOf(order, next(order, { ...storedOrder({ ...placed, petId: 8 }), version: 2 })),
      textsOf({ ...pet, reservedQuantity: 2 }),
      textsOf({ ...category, petCount: 1 }),
    ].flat(),
  ).toEqual([
    'is 4, and the key is CATEGORY#3',
    'is not a string, a number or a boolean',
    'is number, expected a string',
    'is 0, expected a number from 1 to 10000',
    'is -1, expected a number from 0',
    'is available, expected sold: 0 units are available, 0 reserved, and it is not on hold',
    'is set on a pet that is available',
    'is missing from a complete order',
    'is "PETS#sold#0", expected the partition PETS#available',
    'is "CATEGORIES#0", and the index has no items of this kind',
    'is 3, expected 2',
    'is 1, and was 1, expected a number from 2',
    'was true, and the order changed',
    'is 8, and was 7',
    'was 2 when the pet was deleted',
    'was 1 when the category was deleted',
  ]);
});

it('an idempotency record has its owner, its digest and its expiry, and is in no index', () => {
  const record = {
    pk: 'IDEMPOTENCY#x',
    sk: 'IDEMPOTENCY',
    ownerId: 'anna',
    clientId: 'shop',
    requestDigest: 'x',
    expiresAt: 1,
    writeCount: 1,
  };
  const violations = (changes: Stored) =>
    [...violationsOfItem({ ...record, ...changes }, 1)].map(({ attribute }) => attribute);
  expect(violations({})).toEqual([]);
  for (const attribute of ['ownerId', 'clientId', 'requestDigest', 'expiresAt', 'writeCount'])
    expect(violations({ [attribute]: undefined })).toEqual([attribute]);
  expect(violations({ all: 'ORDERS#0' })).toEqual(['all']);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { violationsOfChange, violationsOfItem } from '../../../lib/model/invariants.ts';
import { kindOf } from '../../../lib/model/kinds.ts';
import { indexes } from '../../../lib/model/table/indexes.ts';
import type { Stored } from '../../../lib/model/violation.ts';
import { categoryItem, orderItem, petItem } from '../../support/items.ts';
import { storedNouns } from '../../support/resources.ts';

const [pet, category, order] = [petItem(), categoryItem(), orderItem()];
const held = petItem({ status: 'sold', onHold: true });
const sale = orderItem({ complete: true, shipDate: '2027-01-01T00:00:00Z' });
/** With the least and the largest numbers. */
const bounds = [
  petItem({ id: 1, categoryId: 1, availableQuantity: 0, reservedQuantity: 1, status: 'pending' }),
  orderItem({ id: 1, petId: 1, quantity: 10_000 }),
];

const violationsOf = (before?: Stored, after?: Stored, shards = 1) => [
  ...violationsOfChange(before, after, shards),
];
const namesOf = (...change: Parameters<typeof violationsOf>) =>
  violationsOf(...change).map(({ invariant, attribute }) => `${invariant} ${attribute}`);

/** After one more write. */
const next = (item: Stored, changes: Stored = {}) => ({
  ...item,
  writeCount: item.writeCount + 1,
  ...changes,
});

describe('the invariants', () => {
  it.each([pet, held, category, order, sale, ...bounds])('hold for the creation of $sk', item => {
    for (const shards of [1, 4]) expect(namesOf(undefined, item, shards)).toEqual([]);
  });

  it.each([pet, held, category, order, sale])('hold for the deletion of $sk', item => {
    expect(namesOf(item, undefined)).toEqual([]);
  });

  it('accept the partition of any number of shards up to the current one', () => {
    const isIn = (shard: number, shards: number) =>
      namesOf(undefined, { ...order, all: `ORDERS#${shard}` }, shards).length === 0;
    // The shard of the id 9 is 9 % n: 1 for 2 or 4 shards, 4 for 5.
    expect([0, 1, 2, 4].map(shard => isIn(shard, 4))).toEqual([true, true, false, false]);
    expect([0, 1, 2, 4].map(shard => isIn(shard, 5))).toEqual([true, true, false, true]);
  });

  it.each<[string, Stored, Stored]>([
    ['an order for the pet', pet, next(pet, { availableQuantity: 2 })],
    ['a name', pet, next(petItem({ name: 'Kit' }), { version: 2 })],
    ['a new quantity', pet, next(pet, { availableQuantity: 5, version: 2 })],
    ['a pet count', category, next(category, { petCount: 1 })],
    ['another owner', sale, next(sale, { clientId: 'other', version: 2 })],
    ['a mark by an operator', order, next(order, { deletedByOperator: true, version: 2 })],
  ])('hold for %s', (_, before, after) => {
    expect(namesOf(before, after)).toEqual([]);
  });

  it.each(['DRAGON', 'toString', 'IDEMPOTENCY'])(
    'do not exist for items with the sort key %s',
    sk => {
      const item = { pk: 'x', sk };
      expect(namesOf(item, item)).toEqual([]);
      if (sk === 'toString') expect([...violationsOfItem(item, 1)]).toEqual([]);
    },
  );
});

/** Exactly one invariant is violated. @param expected the beginning of `<invariant> <attribute> <text>` */
const expectViolation = (expected: string, before?: Stored, after?: Stored) => {
  const texts = violationsOf(before, after).map(
    each => `${each.invariant} ${each.attribute} ${each.text}`,
  );
  expect(texts).toEqual([expect.stringContaining(expected)]);
};

describe('a new item violates', () => {
  const noStock =
    "status is 'available', expected sold: 0 units are available, 0 reserved, and it is not on hold";
  it.each<[expected: string, item: Stored]>([
    ['key_has_id id is 4, and the key is CATEGORY#3', { ...category, id: 4 }],
    ['attributes_are_scalar availableQuantity', { ...pet, availableQuantity: 2n ** 60n }],
    [
      'attributes_are_scalar name is not a string, a number or a boolean',
      { ...pet, name: new Set() },
    ],
    ['attributes_have_types name does not match the schema of responses: {', petItem({ name: 7 })],
    ['attributes_have_types description', { ...category, description: false }],
    ['attributes_have_types clientId', { ...order, clientId: undefined }],
    ['attributes_have_types onHold', { ...pet, onHold: undefined }],
    ['attributes_have_types ownerId', orderItem({ ownerId: 7 })],
    ['numbers_in_bounds categoryId', petItem({ categoryId: 0 })],
    ['numbers_in_bounds availableQuantity', { ...held, availableQuantity: -1 }],
    ['numbers_in_bounds reservedQuantity', { ...pet, reservedQuantity: -1 }],
    ['numbers_in_bounds petCount is -1, expected a number from 0', { ...category, petCount: -1 }],
    ['numbers_in_bounds id', { ...pet, id: '7' }],
    ['numbers_in_bounds id', orderItem({ id: 0 })],
    [
      'numbers_in_bounds quantity is 0, expected a number from 1 to 10000',
      { ...order, quantity: 0 },
    ],
    ['numbers_in_bounds quantity', { ...order, quantity: 10_001 }],
    ['numbers_in_bounds petId', { ...order, petId: '7' }],
    ['numbers_in_bounds version', { ...order, version: 0 }],
    ['numbers_in_bounds version', { ...order, version: 1.5 }],
    ['attributes_have_types status', petItem({ status: 'lost', onHold: true })],
    [`status_follows_stock ${noStock}`, { ...pet, availableQuantity: 0 }],
    ['hold_is_unavailable onHold is set on a pet that is available', petItem({ onHold: true })],
    [
      'complete_order_has_ship_date shipDate is missing from a complete order',
      { ...sale, shipDate: undefined },
    ],
    [
      'partitions_match byName is "PETS#NAME#tom#0", expected the partition PETS#NAME#kit',
      { ...pet, name: 'Kit' },
    ],
    [
      'partitions_match byState is "PETS#sold#0", and the index has no such items',
      { ...category, byState: 'PETS#sold#0' },
    ],
  ])('%s', (expected, item) => expectViolation(expected, undefined, item));

  it.each<Stored>([pet, held, category, order, sale])(
    'partitions_match without a key of $sk, or with another',
    item => {
      for (const { key } of indexes)
        for (const value of [undefined, `X${item[key]}`].filter(other => other !== item[key]))
          expect(namesOf(undefined, { ...item, [key]: value })).toEqual([
            `partitions_match ${key}`,
          ]);
    },
  );
});

describe('a change violates', () => {
  const shipped = { shipDate: '2028-01-01T00:00:00Z', version: 2 };
  const noStock = { availableQuantity: 0, version: 2 };
  const described = { description: 'They purr.' };
  it.each<[expected: string, before: Stored, after?: Stored]>([
    ['write_count_increments writeCount', pet, { ...pet, availableQuantity: 2 }],
    ['write_count_increments writeCount is 3, expected 2', pet, { ...pet, writeCount: 3 }],
    [
      'version_increments version is 1, and was 1, expected a number from 2',
      pet,
      next(petItem({ name: 'Kit' })),
    ],
    ['version_increments version', next(pet, { version: 2 }), { ...pet, writeCount: 3 }],
    [
      'version_increments version',
      { ...held, ...noStock, onHold: false },
      next({ ...held, ...noStock }),
    ],
    ['version_increments version', category, next(category, described)],
    ['version_increments version', { ...category, ...described }, next(category)],
    ['version_increments version', order, next(order, { shipDate: '2027-01-01T00:00:00Z' })],
    ['complete_order_is_final complete was true, and the order changed', sale, next(sale, shipped)],
    ['complete_order_is_final complete', sale, next(order, { version: 2 })],
    [
      'order_keeps_pet_and_quantity petId is 8, and was 7',
      order,
      orderItem({ petId: 8, version: 2 }, 2),
    ],
    ['order_keeps_pet_and_quantity quantity', order, next(order, { quantity: 3, version: 2 })],
    [
      'deleted_pet_has_no_open_orders reservedQuantity was 2 when the pet was',
      { ...pet, reservedQuantity: 2 },
    ],
    [
      'deleted_parent_has_no_references petCount was 1 when the category was deleted',
      { ...category, petCount: 1 },
    ],
  ])('%s', expectViolation);
});

it('the invariants of an idempotency record are owner, digest and expiry, and that it is in no index', () => {
  const owner = { ownerId: 'anna', clientId: 'shop' };
  const record = {
    pk: 'IDEMPOTENCY#x',
    sk: 'IDEMPOTENCY',
    ...owner,
    requestDigest: 'x',
    expiresAt: 1,
    writeCount: 1,
  };
  const attributesOf = (changes: Stored) =>
    [...violationsOfItem({ ...record, ...changes }, 1)].map(({ attribute }) => attribute);
  expect(attributesOf({})).toEqual([]);
  for (const attribute of ['ownerId', 'clientId', 'requestDigest', 'expiresAt', 'writeCount'])
    expect(attributesOf({ [attribute]: undefined })).toEqual([attribute]);
  expect(attributesOf({ all: 'ORDERS#0' })).toEqual(['all']);
});

it('the check never throws, whatever an item contains', () => {
  const sk = fc.constantFrom(...storedNouns.map(noun => noun.toUpperCase()), 'IDEMPOTENCY');
  const value = fc.anything({ withBigInt: true, withSet: true, withTypedArray: true });
  const attributes = fc.dictionary(
    fc.constantFrom(...Object.keys({ ...pet, ...sale, ...category })),
    value,
  );
  const stored = fc.tuple(sk, attributes).map(([kind, rest]): Stored => ({ ...rest, sk: kind }));
  const item = fc.option(stored, { nil: undefined });
  expect(namesOf({ ...pet, reservedQuantity: { toString: 1 } }, undefined)).toEqual([]);
  const unreadable = { ...pet, writeCount: { toString: 1 } };
  expect(namesOf(pet, unreadable)).toEqual(['attributes_are_scalar writeCount']);
  const check = (before: Stored | undefined, after: Stored | undefined) => {
    violationsOf(before, after);
    if (after) [...violationsOfItem(after, 3)];
  };
  fc.assert(fc.property(item, item, check));
});

it('each number that an item has in responses has bounds', () => {
  const isNumber = (schema: z.core.$ZodType) =>
    z.safeParse(schema, 1).success && !z.safeParse(schema, 'x').success;
  const numbers = storedNouns.flatMap(noun => {
    const { resources, bounds } = kindOf(noun.toUpperCase())!;
    const fields = Object.entries(resources[0]!.schema.shape);
    const unbounded = fields.filter(
      ([name, schema]) => name !== 'id' && isNumber(schema) && !bounds[name],
    );
    return unbounded.map(([name]) => `${noun} ${name}`);
  });
  expect(numbers, 'add them to `bounds` in lib/model/kinds.ts').toEqual([]);
});

it('each invariant of a change is in the table of lib/events/README.md', () => {
  const read = (file: string) =>
    readFileSync(join(import.meta.dirname, '../../../lib', file), 'utf8');
  const sources = ['item-invariants', 'invariants'].map(name => read(`model/${name}.ts`));
  const names = [
    ...new Set([...sources.join('').matchAll(/invariant: '(\w+)'/g)].map(([, name]) => name)),
  ];
  const section = read('events/README.md').split('## Invariants')[1]!.split('\n## ')[0]!;
  const documented = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(documented.sort()).toEqual(names.sort());
  const own = readFileSync(import.meta.filename, 'utf8');
  expect(
    names.filter(name => !new RegExp(`['\`]${name} `).test(own)),
    'no test violates',
  ).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { writeTable } from '../../cdk/commands/docs/index.ts';
import { markdownTable, withTable } from '../../cdk/commands/docs/markdown-table.ts';
import { usesTable } from '../../cdk/config/permissions.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { type ApiResponse, type Client, type Request, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const file = join(import.meta.dirname, '../../lib/model/README.md');

const key = () => ({ 'Idempotency-Key': `k${Math.random()}` });

/** A row of the table, `operation: when` → how it is done. */
const ways: Record<string, string> = {
  'listPets: a page': 'Query `all`',
  'listPets: one status of a category': 'Query `byGroupAndState`',
  'listPets: two statuses': 'Query `byState`, twice in parallel',
  'listPets: one id': 'GetItem, consistent',
  'listPets: ten ids': 'BatchGetItem',
  'createPet: always': 'transaction: pet, category counter',
  'createPet: with a key': 'the same transaction, with the record',
  'getPet: always': 'GetItem, consistent',
  'replacePet: another name': 'GetItem, then a transaction of one write',
  'replacePet: with a key': 'the same transaction, with the record',
  'updatePet: another status': 'GetItem, then a transaction of one write',
  'updatePet: another category': 'GetItem, then a transaction: pet, both counters',
  'updatePet: with a key, nothing changes': 'GetItem, then a transaction of the record',
  'deletePet: always': 'GetItem, then a transaction: pet, category counter',
  'deletePet: with a key': 'the same transaction, with the record',
  'deletePet: again, with its key': 'GetItem of the pet, then of the record',
  'listCategories: a page': 'Query `all`',
  'createCategory: always': 'a transaction of one write',
  'createCategory: with a key': 'transaction: category, record',
  'getCategory: always': 'GetItem, consistent',
  'replaceCategory: always': 'GetItem, then a transaction of one write',
  'replaceCategory: with a key': 'the same transaction, with the record',
  'deleteCategory: always': 'a transaction of one delete, if `petCount` is 0',
  'deleteCategory: with a key': 'the same transaction, with the record',
  'listInventory: a page of 20': 'Query `all`, then BatchGetItem',
  'getInventory: always': 'GetItem, consistent',
  'setInventory: available and stays so': 'GetItem, then a transaction of one write',
  'setInventory: to 0': 'GetItem, then a transaction of one write',
  'setInventory: with a key': 'the same transaction, with the record',
  'setInventory: again, with its key': 'GetItem, then a transaction; its rejection returns the record',
  'listOrders: a page': 'Query `byGroup` (all orders: `all`)',
  'listOrders: open, for a pet': 'Query `byPetAndState`',
  'placeOrder: units remain': 'transaction: order, stock',
  'placeOrder: with a key': 'the same transaction, with the record',
  'placeOrder: the last unit': 'the rejection returns the pet; then a transaction: order, stock and status',
  'getOrder: always': 'GetItem, consistent',
  'updateOrder: the ship date': 'GetItem, then a transaction of one write',
  'updateOrder: complete': 'GetItem, then a transaction: order, stock',
  'updateOrder: complete, with a key': 'the same transaction, with the record',
  'cancelOrder: always': 'GetItem, then a transaction: order, stock',
  'cancelOrder: with a key': 'the same transaction, with the record',
};

type Prepared = [client: Client, method: string, path: string, request?: Request];

const withKey = async (name: string): Promise<Prepared> => {
  const [client, method, path, request] = await cases[name]!();
  return [client, method, path, { ...request, headers: key() }];
};

/** A request that was sent before with the same key. */
const again = async (name: string): Promise<Prepared> => {
  const [client, ...request] = await withKey(name);
  expect((await client(...request)).status).toBeLessThan(300);
  return [client, ...request];
};

/** What each row of the table describes, as a request that does it. The preparation is not counted. */
const cases: Record<string, () => Promise<Prepared>> = {
  'listPets: a page': async () => [petstore.anonymous, 'GET', '/pets'],
  'listPets: one status of a category': async () => [petstore.anonymous, 'GET', '/pets?categoryId=1&status=sold'],
  'listPets: two statuses': async () => [petstore.anonymous, 'GET', '/pets?status=sold&status=pending'],
  'listPets: one id': async () => [petstore.anonymous, 'GET', `/pets?id=${(await stockedPet(petstore.staff, 1)).id}`],
  'listPets: ten ids': async () => {
    const { id } = await createCategory(petstore.staff);
    const pets = await Promise.all(Array.from({ length: 10 }, () => createPet(petstore.staff, id)));
    return [petstore.anonymous, 'GET', `/pets?id=${pets.map(pet => pet.id)}`];
  },
  'createPet: always': async () => [
    petstore.staff,
    'POST',
    '/pets',
    { body: { name: 'Tom', categoryId: (await createCategory(petstore.staff)).id } },
  ],
  'createPet: with a key': async () => [
    ...([petstore.staff, 'POST', '/pets'] as const),
    { body: { name: 'Tom', categoryId: (await createCategory(petstore.staff)).id }, headers: key() },
  ],
  'getPet: always': async () => [petstore.anonymous, 'GET', `/pets/${(await stockedPet(petstore.staff, 1)).id}`],
  'replacePet: another name': async () => {
    const pet = await stockedPet(petstore.staff, 1);
    return [petstore.staff, 'PUT', `/pets/${pet.id}`, { body: { ...pet, name: 'Kit' } }];
  },
  'updatePet: another status': async () => [
    petstore.staff,
    'PATCH',
    `/pets/${(await stockedPet(petstore.staff, 1)).id}`,
    { body: { status: 'sold' } },
  ],
  'updatePet: another category': async () => {
    const body = { categoryId: (await createCategory(petstore.staff)).id };
    return [petstore.staff, 'PATCH', `/pets/${(await stockedPet(petstore.staff, 1)).id}`, { body }];
  },
  'deletePet: always': async () => [petstore.staff, 'DELETE', `/pets/${(await stockedPet(petstore.staff, 1)).id}`],
  'listCategories: a page': async () => [petstore.anonymous, 'GET', '/pets/categories'],
  'createCategory: always': async () => [petstore.staff, 'POST', '/pets/categories', { body: { name: 'Cats' } }],
  'createCategory: with a key': async () => [
    petstore.staff,
    'POST',
    '/pets/categories',
    { body: { name: 'Cats' }, headers: key() },
  ],
  'getCategory: always': async () => [
    petstore.anonymous,
    'GET',
    `/pets/categories/${(await createCategory(petstore.staff)).id}`,
  ],
  'replaceCategory: always': async () => [
    petstore.staff,
    'PUT',
    `/pets/categories/${(await createCategory(petstore.staff)).id}`,
    { body: { name: 'Dogs' } },
  ],
  'deleteCategory: always': async () => [
    petstore.staff,
    'DELETE',
    `/pets/categories/${(await createCategory(petstore.staff)).id}`,
  ],
  'listInventory: a page of 20': async () => [petstore.staff, 'GET', '/store/inventory'],
  'getInventory: always': async () => [
    petstore.staff,
    'GET',
    `/store/inventory/${(await stockedPet(petstore.staff, 1)).id}`,
  ],
  'setInventory: available and stays so': async () => [
    petstore.staff,
    'PUT',
    `/store/inventory/${(await stockedPet(petstore.staff, 1)).id}`,
    { body: { quantity: 5 } },
  ],
  'setInventory: to 0': async () => [
    petstore.staff,
    'PUT',
    `/store/inventory/${(await stockedPet(petstore.staff, 1)).id}`,
    { body: { quantity: 0 } },
  ],
  'listOrders: a page': async () => [petstore.shop, 'GET', '/store/orders'],
  'listOrders: open, for a pet': async () => [petstore.staff, 'GET', '/store/orders?petId=1&complete=false'],
  'placeOrder: units remain': async () => [
    petstore.shop,
    'POST',
    '/store/orders',
    { body: { petId: (await stockedPet(petstore.staff, 9)).id } },
  ],
  'placeOrder: with a key': async () => [
    petstore.shop,
    'POST',
    '/store/orders',
    { body: { petId: (await stockedPet(petstore.staff, 9)).id }, headers: key() },
  ],
  'placeOrder: the last unit': async () => [
    petstore.shop,
    'POST',
    '/store/orders',
    { body: { petId: (await stockedPet(petstore.staff, 1)).id } },
  ],
  'getOrder: always': async () => [petstore.shop, 'GET', `/store/orders/${await orderFor(9)}`],
  'updateOrder: the ship date': async () => [
    petstore.staff,
    'PATCH',
    `/store/orders/${await orderFor(9)}`,
    { body: { shipDate: '2027-01-01T00:00:00Z' } },
  ],
  'updateOrder: complete': async () => [
    petstore.staff,
    'PATCH',
    `/store/orders/${await orderFor(9)}`,
    { body: { complete: true } },
  ],
  'cancelOrder: always': async () => [petstore.shop, 'DELETE', `/store/orders/${await orderFor(9)}`],
  ...Object.fromEntries(
    Object.entries({
      'replacePet: with a key': 'replacePet: another name',
      'deletePet: with a key': 'deletePet: always',
      'replaceCategory: with a key': 'replaceCategory: always',
      'deleteCategory: with a key': 'deleteCategory: always',
      'setInventory: with a key': 'setInventory: available and stays so',
      'updateOrder: complete, with a key': 'updateOrder: complete',
      'cancelOrder: with a key': 'cancelOrder: always',
    }).map(([name, without]) => [name, () => withKey(without)]),
  ),
  'updatePet: with a key, nothing changes': async () => [
    petstore.staff,
    'PATCH',
    `/pets/${(await stockedPet(petstore.staff, 1)).id}`,
    { body: {}, headers: key() },
  ],
  'deletePet: again, with its key': () => again('deletePet: always'),
  'setInventory: again, with its key': () => again('setInventory: available and stays so'),
};

const orderFor = async (stock: number): Promise<number> => {
  const { id } = await stockedPet(petstore.staff, stock);
  return (await petstore.shop('POST', '/store/orders', { body: { petId: id } })).body.id;
};

const lineOf = async (response: ApiResponse) => {
  const id = response.headers.get('X-Request-Id')!;
  await expect.poll(() => petstore.logs.join('').includes(id)).toBe(true);
  const line = petstore.logs
    .join('')
    .split('\n')
    .find(text => text.includes(id))!;
  const { operation, dynamoDbCalls, readUnits, writeUnits } = JSON.parse(line).message;
  return { operation, dynamoDbCalls, readUnits, writeUnits };
};

interface Consumed {
  readonly operation: string;
  readonly dynamoDbCalls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}
const measured = new Map<string, Consumed>();

const patternsTable = () =>
  markdownTable(
    ['Operation', 'When', 'How', 'Calls', 'RRU', 'WRU'],
    ['---', '---', '---', '---:', '---:', '---:'],
    Object.entries(ways).map(([name, how]) => {
      const [id, when] = name.split(': ');
      const { dynamoDbCalls, readUnits, writeUnits } = measured.get(name)!;
      return [`\`${id}\``, when!, how, String(dynamoDbCalls), String(readUnits), String(writeUnits)];
    }),
  );

describe.skipIf(inject('engine') !== 'Dynoxide')('the access patterns', () => {
  it('cover every operation that reads or writes the table', () => {
    expect(Object.keys(ways).sort()).toEqual(Object.keys(cases).sort());
    const covered = new Set(Object.keys(ways).map(row => row.split(':')[0]));
    expect(operationIds.filter(id => usesTable(id) && !covered.has(id))).toEqual([]);
  });

  it.each(Object.keys(cases))('%s succeeds, and its log line has its DynamoDB calls and units', async name => {
    if (name === 'listInventory: a page of 20') {
      const { id } = await createCategory(petstore.staff);
      await Promise.all(Array.from({ length: 20 }, () => createPet(petstore.staff, id)));
    }
    const [client, ...request] = await cases[name]!();
    const response = await client(...request);
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
    const line = await lineOf(response);
    expect(line.operation).toBe(name.split(':')[0]);
    measured.set(name, line);
  });

  it('equal the table of lib/model/README.md', () => {
    if (process.env.PETSTORE_WRITE_TABLES) writeTable('lib/model/README.md', 'access patterns', patternsTable());
    const text = readFileSync(file, 'utf8');
    expect(withTable(text, 'access patterns', patternsTable()), 'the table is stale: npm run docs').toBe(text);
  });
});

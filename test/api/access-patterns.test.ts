import { describe, expect, inject, it } from 'vitest';
import { usesTable } from '../../cdk/config/permissions.ts';
import { type OperationId, operationIds, operations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { createPet, stockedPet } from '../support/fixtures.ts';
import { expectTables, markdownTable } from '../support/markdown-table.ts';
import { usePetstore } from '../support/petstore.ts';
import { type ClientRequest, requestOf, send, type World, world } from '../support/requests.ts';

const petstore = usePetstore({ logs: true });

type Change = (world: World) => Partial<ClientRequest> | Promise<Partial<ClientRequest>>;
const usual: Change = () => ({});
const key = () => ({ headers: { 'Idempotency-Key': `k${Math.random()}` } });

/** Sends a request with a key before; the row is its retry. */
const again =
  (id: OperationId): Change =>
  async known => {
    const request = { ...requestOf(operations[id], known), ...key() };
    expect((await send(petstore, request)).status).toBeLessThan(300);
    return request;
  };

/** `operation: when`, and how its request differs from the usual one of test/support/requests.ts. */
const rows: Readonly<Record<string, Change>> = {
  'listPets: a page': usual,
  'listPets: one status of a category': ({ categoryId }) => ({ path: `/pets?categoryId=${categoryId}&status=sold` }),
  'listPets: two statuses': () => ({ path: '/pets?status=sold&status=pending' }),
  'listPets: one id': ({ petId }) => ({ path: `/pets?id=${petId}` }),
  'listPets: ten ids': async ({ categoryId }) => {
    const pets = await Promise.all(Array.from({ length: 10 }, () => createPet(petstore.staff, categoryId)));
    return { path: `/pets?id=${pets.map(({ id }) => id)}` };
  },
  'createPet: always': usual,
  'getPet: always': usual,
  'replacePet: another name': usual,
  'updatePet: another status': usual,
  'updatePet: another category': ({ categoryId }) => ({ body: { categoryId } }),
  'updatePet: with a key, nothing changes': () => ({ body: {}, ...key() }),
  'deletePet: always': usual,
  'deletePet: again, with its key': again('deletePet'),
  'listCategories: a page': usual,
  'createCategory: always': usual,
  'getCategory: always': usual,
  'replaceCategory: always': usual,
  'deleteCategory: always': usual,
  'deleteCategory: with If-Match for any tag': () => ({ headers: { 'If-Match': '*' } }),
  'listInventory: a page of 20': async ({ categoryOfPets }) => {
    await Promise.all(Array.from({ length: 20 }, () => createPet(petstore.staff, categoryOfPets)));
    return {};
  },
  'getInventory: always': usual,
  'setInventory: available and stays so': usual,
  'setInventory: to 0': () => ({ body: { quantity: 0 } }),
  'setInventory: again, with its key': again('setInventory'),
  'listOrders: a page of an owner': usual,
  'listOrders: a page of all': () => ({ as: 'staff' }),
  'listOrders: open, for a pet': ({ petId }) => ({ as: 'staff', path: `/store/orders?petId=${petId}&complete=false` }),
  'placeOrder: units remain': usual,
  'placeOrder: the last unit': async () => ({ body: { petId: (await stockedPet(petstore.staff, 1)).id } }),
  'getOrder: always': usual,
  'updateOrder: the ship date': () => ({ body: { shipDate: '2027-01-01T00:00:00Z' } }),
  'updateOrder: complete': usual,
  'cancelOrder: always': usual,
};

type Exchange = (typeof petstore.proxy.responses)[number];

/** A call to DynamoDB in a few words. */
const textOf = ({ call: { operation, body }, status }: Exchange): string => {
  if (operation === 'Query') return `Query \`${body.IndexName.replace(/-\d+$/, '')}\``;
  if (operation === 'GetItem') return `GetItem ${body.Key.sk.S}${body.ConsistentRead ? '' : ', eventually consistent'}`;
  if (operation !== 'TransactWriteItems') return operation;
  const writes = body.TransactItems.map((item: Record<string, Record<string, { sk: { S: string } }>>) => {
    const [[kind, write] = ['', {}]] = Object.entries(item);
    return `${kind} ${(write.Key ?? write.Item)!.sk.S}`;
  });
  return `${status === 200 ? '' : 'rejected '}transaction: ${writes.join(', ')}`;
};

/** Calls in sequence; equal ones are sent in parallel. */
const howOf = (exchanges: readonly Exchange[]): string => {
  const calls = exchanges.map(textOf);
  const timesOf = (call: string) => calls.filter(other => other === call).length;
  return [...new Set(calls)].map(call => (timesOf(call) > 1 ? `${timesOf(call)} × ` : '') + call).join('; then ');
};

const measure = async (name: string, more: object = {}) => {
  const operation: RegisteredOperation = operations[name.split(':')[0] as OperationId];
  const known = await world(petstore);
  const request = { ...requestOf(operation, known), ...(await rows[name]!(known)), ...more };
  petstore.proxy.responses.length = 0;
  const response = await send(petstore, request);
  expect(response.status, response.text).toBeLessThan(300);
  const how = howOf(petstore.proxy.responses);
  const id = response.headers.get('X-Request-Id')!;
  const lines = () => petstore.logs.join('').split('\n');
  await expect.poll(() => lines().some(text => text.includes(id))).toBe(true);
  const { message } = JSON.parse(lines().find(text => text.includes(id))!);
  expect(message).toMatchObject({ operation: operation.id, dynamoDbCalls: petstore.proxy.responses.length });
  return { how, calls: message.dynamoDbCalls, readUnits: message.readUnits, writeUnits: message.writeUnits };
};

const measured = new Map<string, Awaited<ReturnType<typeof measure>>>();

describe.skipIf(inject('engine') !== 'Dynoxide')('the access patterns', () => {
  it('cover every operation that reads or writes the table', () => {
    const covered = new Set(Object.keys(rows).map(name => name.split(':')[0]));
    expect(
      operationIds.filter(id => usesTable(id) && !covered.has(id)),
      'add a row to `rows`',
    ).toEqual([]);
  });

  it.each(Object.keys(rows))('%s succeeds, and its log line has its DynamoDB calls and units', async name => {
    measured.set(name, await measure(name));
  });

  const writes = operationIds.filter(id => operations[id].method !== 'GET');
  it.each(writes)('of %s takes 2 WRU more with a key, for the record', async id => {
    const name = Object.keys(rows).find(row => row.startsWith(`${id}:`))!;
    const { how, writeUnits, readUnits } = measured.get(name)!;
    const kept = { how: `${how}, Put IDEMPOTENCY`, writeUnits: writeUnits + 2, readUnits };
    expect(await measure(name, key())).toMatchObject(kept);
  });

  it('equal the table of lib/model/README.md', async () => {
    const cells = [...measured].map(([name, { how, calls, readUnits, writeUnits }]) => {
      const [id, when] = name.split(': ');
      return [`\`${id}\``, when!, how, ...[calls, readUnits, writeUnits].map(String)];
    });
    const alignment = ['---', '---', '---', '---:', '---:', '---:'];
    const table = markdownTable(['Operation', 'When', 'How', 'Calls', 'RRU', 'WRU'], alignment, cells);
    await expectTables('lib/model/README.md', { 'access patterns': table });
  });
});

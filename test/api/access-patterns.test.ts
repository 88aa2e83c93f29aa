import { describe, expect, inject, it } from 'vitest';
import { usesTable } from '../../cdk/config/permissions.ts';
import { lineBytes } from '../../cdk/cost/ordinary-month.ts';
import {
  type OperationId,
  operationIds,
  operations,
  type RegisteredOperation,
} from '../../lib/operations/index.ts';
import { defaultLimit } from '../../lib/schemas/query.ts';
import { createPet, stockedPet } from '../support/fixtures.ts';
import { expectTables, markdownTable } from '../support/markdown-table.ts';
import { usePetstore } from '../support/petstore.ts';
import { type ClientRequest, requestOf, send, type World, world } from '../support/requests.ts';

const petstore = usePetstore();

type Change = (world: World) => Partial<ClientRequest> | Promise<Partial<ClientRequest>>;
const usual: Change = () => ({});
const key = () => ({ headers: { 'Idempotency-Key': `k${Math.random()}` } });

/**
 * `operation: when` → changes to the operation's request of test/support/requests.ts, which is sent twice if the key contains
 * `again`. An operation without a case is measured with its unchanged request.
 */
const cases: Readonly<Record<string, Change>> = {
  'listPets: a page': usual,
  'listPets: one status of a category': ({ categoryId }) => ({
    path: `/pets?categoryId=${categoryId}&status=sold`,
  }),
  'listPets: two statuses': () => ({ path: '/pets?status=sold&status=pending' }),
  'listPets: a name': () => ({ path: '/pets?name=tom' }),
  'listPets: one id': ({ petId }) => ({ path: `/pets?id=${petId}` }),
  'listPets: ten ids': async ({ categoryId }) => {
    const pets = await Promise.all(
      Array.from({ length: 10 }, () => createPet(petstore.staff, categoryId)),
    );
    return { path: `/pets?id=${pets.map(({ id }) => id)}` };
  },
  'replacePet: another name': usual,
  'updatePet: another status': usual,
  'updatePet: another category': ({ categoryId }) => ({ body: { categoryId } }),
  'updatePet: with a key, nothing changes': () => ({ body: {}, ...key() }),
  'deletePet: first': usual,
  'deletePet: again, with its key': key,
  'listCategories: a page': usual,
  'deleteCategory: without a condition': usual,
  [`listInventory: a page of ${defaultLimit}`]: async ({ categoryOfPets }) => {
    await Promise.all(
      Array.from({ length: defaultLimit }, () => createPet(petstore.staff, categoryOfPets)),
    );
    return {};
  },
  'listInventory: on hold': async ({ categoryOfPets }) => {
    await createPet(petstore.staff, categoryOfPets, { status: 'pending' });
    return { path: '/store/inventory?onHold=true&limit=1' };
  },
  'setInventory: available and stays so': usual,
  'setInventory: to 0': () => ({ body: { quantity: 0 } }),
  'setInventory: again, with its key': key,
  'listOrders: a page of an owner': usual,
  'listOrders: a page of all': () => ({ as: 'staff' }),
  'listOrders: open, for a pet': ({ petId }) => ({
    as: 'staff',
    path: `/store/orders?petId=${petId}&complete=false`,
  }),
  'placeOrder: units remain': usual,
  'placeOrder: the last unit': async () => ({
    body: { petId: (await stockedPet(petstore.staff, 1)).id },
  }),
  'updateOrder: complete': usual,
  'updateOrder: the ship date': () => ({ body: { shipDate: '2027-01-01T00:00:00Z' } }),
};

const rows = Object.fromEntries(
  operationIds.filter(usesTable).flatMap((id): [string, Change][] => {
    const own = Object.entries(cases).filter(([name]) => name.startsWith(`${id}:`));
    return own.length > 0 ? own : [[`${id}: `, usual]];
  }),
);

type Exchange = (typeof petstore.proxy.responses)[number];

/** A call in a few words, such as `GetItem PET`. */
const textOf = ({ call: { operation, body }, status }: Exchange): string => {
  if (operation === 'Query') return `Query \`${body.IndexName.replace(/-\d+$/, '')}\``;
  if (operation === 'GetItem')
    return `GetItem ${body.Key.sk.S}${body.ConsistentRead ? '' : ', eventually consistent'}`;
  if (operation !== 'TransactWriteItems') return operation;
  const writes = body.TransactItems.map((item: object) => {
    const [[kind, { Key, Item = Key }] = ['', {}]] = Object.entries(item);
    return `${kind} ${Item.sk.S}`;
  });
  return `${status === 200 ? '' : 'rejected '}transaction: ${writes.join(', ')}`;
};

/** In the order of sending. Equal calls were sent in parallel: `2 × Query`. */
const howOf = (exchanges: readonly Exchange[]): string => {
  const calls = Map.groupBy(exchanges, textOf);
  return Array.from(calls, ([call, { length }]) =>
    length > 1 ? `${length} × ${call}` : call,
  ).join('; ');
};

const longAgent = 'A browser'.repeat(20);
const measure = async (name: string, more: object = {}) => {
  const operation: RegisteredOperation = operations[name.split(':')[0] as OperationId];
  const known = await world(petstore);
  const request: ClientRequest = {
    ...requestOf(operation, known),
    ...(await rows[name]!(known)),
    ...more,
  };
  if (name.includes('again')) await send(petstore, request);
  petstore.proxy.responses.length = 0;
  const response = await send(petstore, {
    ...request,
    headers: { 'User-Agent': longAgent, ...request.headers },
  });
  expect(response.status, `${name} ${response.text}`).toBeLessThan(300);
  const id = response.headers.get('X-Request-Id')!;
  const line = () => new RegExp(`^.*${id}.*$`, 'm').exec(petstore.logs.join(''))?.[0];
  await expect.poll(line).toBeDefined();
  const { message } = JSON.parse(line()!);
  expect(message).toMatchObject({
    operation: operation.id,
    dynamoDbCalls: petstore.proxy.responses.length,
  });
  const most = operation.deprecated ? Number.POSITIVE_INFINITY : lineBytes;
  expect(
    Buffer.byteLength(line()!),
    'raise lineBytes in cdk/cost/ordinary-month.ts',
  ).toBeLessThanOrEqual(most);
  const { readUnits, writeUnits } = message;
  return { how: howOf(petstore.proxy.responses), readUnits, writeUnits };
};

const rowOf = (id: OperationId) => Object.keys(rows).find(name => name.startsWith(`${id}:`))!;

describe.skipIf(inject('engine') !== 'Dynoxide')('the access patterns', () => {
  const writes = operationIds.filter(id => operations[id].method !== 'GET');
  it.each(writes)('of %s takes 2 WRU more with a key, for the record', async id => {
    const plain = await measure(rowOf(id));
    const kept = {
      ...plain,
      how: `${plain.how}, Put IDEMPOTENCY`,
      writeUnits: plain.writeUnits + 2,
    };
    expect(await measure(rowOf(id), key())).toMatchObject(kept);
  });

  it('equal the table of lib/model/README.md and the units of cdk/cost, and their log lines have their calls and units', async () => {
    const cells: string[][] = [];
    const units: Record<string, object> = {};
    for (const name of Object.keys(rows)) {
      const [id = '', when = ''] = name.split(': ');
      const measured = await measure(name);
      cells.push([`\`${id}\``, when, ...Object.values(measured).map(String)]);
      units[id] ??= { read: measured.readUnits, write: measured.writeUnits };
    }
    const json = JSON.stringify(units, null, 2).replace(
      /\{\n\s+("read".*)\n\s+("write".*)\n\s+\}/g,
      '{ $1 $2 }',
    );
    await expect(`${json}\n`, 'stale: npm run generate').toMatchFileSnapshot(
      '../../cdk/cost/request-units.json',
    );
    const alignment = ['---', '---', '---', '---:', '---:'];
    const table = markdownTable(['Operation', 'When', 'How', 'RRU', 'WRU'], alignment, cells);
    await expectTables('lib/model/README.md', { 'access patterns': table });
  });
});

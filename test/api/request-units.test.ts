import { describe, expect, inject, it } from 'vitest';
import { onlyResourceOf } from '../../cdk/build/template.ts';
import { limits } from '../../cdk/config/limits.ts';
import { usesTable } from '../../cdk/config/permissions.ts';
import { settingsOf, withOwnTable } from '../../cdk/config/settings.ts';
import { largestOtherResponse, largestResponses } from '../../cdk/cost/method-limits.ts';
import { type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import type { Call, Fault } from '../support/dynamodb-proxy.ts';
import { type ApiResponse, type Client, type Request, synthesizeShared, usePetstore } from '../support/petstore.ts';

/**
 * What the most expensive request of each operation takes from the table and from each index, measured on an engine with the
 * largest items that the contract permits, and compared with the maximum units that are deployed.
 */

const longestName = '😀'.repeat(100);
const longestText = '😀'.repeat(1_000);
/** A control character is six bytes in JSON. */
const widestText = '\u0001'.repeat(1_000);
const longestDate = `2027-01-01T00:00:00.${'1'.repeat(38)}+00:00`;
const longestKey = () => `k${Math.random()}`.padEnd(255, 'k');
/** The maximum length of a client id in Cognito (API reference, "UserPoolClientType"). */
const longestOwner = 'o'.repeat(128);
/** A page and one more item, which shows whether another page follows. */
const most = 101;

const deployed = settingsOf('prod');
const shards = deployed.indexShards.write;
const assembly = await synthesizeShared({
  stage: 'local',
  settings: {
    clients: { ...settingsOf('local').clients, [longestOwner]: ['orders'] },
    indexShards: deployed.indexShards,
  },
});
const petstore = usePetstore({ assembly });

type Units = Readonly<Record<string, number>>;
const unitsOf = (place: string, kind: 'reads' | 'writes') => `${kind} of ${place}`;

/**
 * The additional units. A write that loses a race is rejected and charged, and so is the write that won: twice the
 * sum. A throttled attempt is not charged. An attempt without a response is rare: a fifth.
 */
const rejectedOnce = 2;
const repeated = 1.2;

/** The maximum units of the deployed template, by place. */
const maximums: Units = (({ template }) => {
  const [, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const [replica] = table.Replicas;
  const reads = [replica, ...replica.GlobalSecondaryIndexes].map(
    ({ IndexName = 'table', ReadOnDemandThroughputSettings: { MaxReadRequestUnits } }) => [
      unitsOf(IndexName, 'reads'),
      MaxReadRequestUnits,
    ],
  );
  const writes = [table, ...table.GlobalSecondaryIndexes].map(
    ({ IndexName = 'table', WriteOnDemandThroughputSettings: { MaxWriteRequestUnits } }) => [
      unitsOf(IndexName, 'writes'),
      MaxWriteRequestUnits,
    ],
  );
  return Object.fromEntries([...reads, ...writes]);
})(await synthesizeShared({ stage: 'prod', settings: withOwnTable }));

/** The units in a response of the engine, as `reads of table` → units. */
const taken = ({ call, body }: (typeof petstore.proxy.responses)[number]): Units => {
  const kind = call.operation === 'TransactWriteItems' ? 'writes' : 'reads';
  const [{ Table, GlobalSecondaryIndexes = {} } = {}] = [body.ConsumedCapacity].flat();
  return Object.fromEntries([
    [unitsOf('table', kind), Table?.CapacityUnits ?? 0],
    ...Object.entries<{ CapacityUnits: number }>(GlobalSecondaryIndexes).map(([index, { CapacityUnits }]) => [
      unitsOf(index, kind),
      CapacityUnits,
    ]),
  ]);
};

const merge = (list: readonly Units[], combine: (a: number, b: number) => number): Units => {
  const merged: Record<string, number> = {};
  for (const [place, units] of list.flatMap(units => Object.entries(units)))
    merged[place] = combine(merged[place] ?? 0, units);
  return merged;
};

/**
 * A rejected transaction is charged too. The charge is not documented; here it is as much of the table as the most
 * expensive successful transaction, and nothing of an index.
 */
const consumedBy = async (request: () => Promise<ApiResponse>): Promise<{ units: Units; bytes: number }> => {
  const { responses } = petstore.proxy;
  const before = responses.length;
  const response = await request();
  expect(response.status, JSON.stringify(response.body).slice(0, 500)).toBeLessThan(300);
  const during = responses.slice(before);
  const landed = during.filter(({ status }) => status === 200).map(taken);
  const refused = during.filter(({ status }) => status !== 200).length;
  const mostExpensive = Math.max(0, ...landed.map(units => units[unitsOf('table', 'writes')] ?? 0));
  const units = merge([...landed, { [unitsOf('table', 'writes')]: refused * mostExpensive }], (a, b) => a + b);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\r\n');
  return { units, bytes: Buffer.byteLength(headers + response.text) };
};

const made = async (client: Client, ...request: [method: string, path: string, request?: Request]) => {
  const response = await client(...request);
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return response;
};
/** A few at a time: a hundred at once would exceed their deadline on a busy machine. */
const times = async <T>(count: number, make: () => Promise<T>): Promise<T[]> => {
  const done: T[] = [];
  while (done.length < count)
    done.push(...(await Promise.all(Array.from({ length: Math.min(10, count - done.length) }, make))));
  return done;
};
/** Creates items until every partition of an index has a page and one more. */
const inEveryShard = async (make: () => Promise<number>): Promise<number[]> => {
  const made: number[] = [];
  for (;;) {
    const sizes = Array.from({ length: shards }, (_, shard) => made.filter(id => id % shards === shard).length);
    const missing = sizes.reduce((sum, size) => sum + Math.max(most - size, 0), 0);
    if (missing === 0) return made;
    made.push(...(await times(missing, make)));
  }
};
/** The index has pets that no replica has yet: each is read twice, the second time with strong consistency. */
const lag = ({ operation, body }: Call): Fault | undefined =>
  operation === 'BatchGetItem' && !body.RequestItems[petstore.tableName].ConsistentRead
    ? { rewrite: response => ({ ...response, Responses: {} }) }
    : undefined;
const category = async (description = longestText): Promise<number> =>
  (await made(petstore.staff, 'POST', '/pets/categories', { body: { name: longestName, description } })).body.id;
const pet = async (categoryId: number, status = 'available'): Promise<number> =>
  (await made(petstore.staff, 'POST', '/pets', { body: { name: longestName, categoryId, status } })).body.id;

describe.skipIf(inject('engine') !== 'Dynoxide')('the maximum request units', { timeout: 60_000 * shards }, () => {
  it('exceed the units of all operations at their rates, each with its most expensive request', async () => {
    petstore.proxy.capacity = 'INDEXES';
    const { anonymous, staff } = petstore;
    const owner = petstore.withToken(await petstore.token(longestOwner));
    const crowd = await category();
    await inEveryShard(() => category());
    await inEveryShard(() => pet(crowd, 'pending'));
    const available = await inEveryShard(() => pet(crowd));
    const [first, second, ...others] = available as [number, number, ...number[]];
    const stocked = { body: { quantity: 1_000_000_000 } };
    await made(staff, 'PUT', `/store/inventory/${first}`, stocked);
    const order = (petId = first) => made(owner, 'POST', '/store/orders', { body: { petId, shipDate: longestDate } });
    await inEveryShard(async () => (await order()).body.id);
    const fresh = () => others.pop()!;
    const onlyOrder = async () => (await order(fresh())).body.id as number;

    const lists = (client: Client, path: string, ...queries: string[]) =>
      queries.map(query => () => [client, `${path}?limit=100${query}`] as const);
    const headersAt = async (path: string) => ({ 'If-Match': (await made(staff, 'GET', path)).headers.get('ETag')! });
    const tagged = async (client: Client, path: string, body?: object) =>
      [client, path, { headers: await headersAt(path), body }] as const;
    const moved = async () => ({ name: longestName, categoryId: await category(), status: 'pending' });
    const bothStatuses = '&status=available&status=pending';
    type Case = () => readonly [Client, path: string, Request?] | Promise<readonly [Client, path: string, Request?]>;
    const cases: Partial<Record<OperationId, Case[]>> = {
      listPets: [
        () => [anonymous, `/pets?id=${available.slice(0, 100)}`],
        ...lists(anonymous, '/pets', '', bothStatuses, `&categoryId=${crowd}`, `&categoryId=${crowd}${bothStatuses}`),
      ],
      getPet: [() => [anonymous, `/pets/${first}`]],
      listCategories: [
        ...lists(anonymous, '/pets/categories', ''),
        async () => {
          await inEveryShard(() => category(widestText));
          return [anonymous, '/pets/categories?limit=100'];
        },
      ],
      getCategory: [() => [anonymous, `/pets/categories/${crowd}`]],
      listInventory: lists(staff, '/store/inventory', '', bothStatuses),
      getInventory: [() => [staff, `/store/inventory/${first}`]],
      listOrders: [
        ...lists(owner, '/store/orders', '', '&complete=false'),
        ...lists(staff, '/store/orders', '', '&complete=false', `&petId=${first}`, `&petId=${first}&complete=false`),
      ],
      getOrder: [async () => [owner, `/store/orders/${await onlyOrder()}`]],
      createPet: [() => [staff, '/pets', { body: { name: longestName, categoryId: crowd, status: 'available' } }]],
      replacePet: [async () => tagged(staff, `/pets/${first}`, await moved())],
      updatePet: [async () => tagged(staff, `/pets/${second}`, await moved())],
      deletePet: [() => [staff, `/pets/${fresh()}`]],
      createCategory: [() => [staff, '/pets/categories', { body: { name: longestName, description: longestText } }]],
      replaceCategory: [
        () => tagged(staff, `/pets/categories/${crowd}`, { name: longestName, description: '🐈'.repeat(1_000) }),
      ],
      deleteCategory: [async () => tagged(staff, `/pets/categories/${await category()}`)],
      setInventory: [() => tagged(staff, `/store/inventory/${fresh()}`, { quantity: 0 })],
      placeOrder: [() => [owner, '/store/orders', { body: { petId: fresh(), shipDate: longestDate } }]],
      updateOrder: [async () => tagged(staff, `/store/orders/${await onlyOrder()}`, { complete: true })],
      cancelOrder: [async () => tagged(owner, `/store/orders/${await onlyOrder()}`)],
    };
    expect(operationIds.filter(id => usesTable(id) && !cases[id])).toEqual([]);

    const flows: Units[] = [];
    for (const id of operationIds) {
      const costs: Units[] = [];
      for (const prepare of cases[id] ?? []) {
        const { method, path } = operations[id];
        const [client, url, request] = await prepare();
        const key: Record<string, string> = method === 'GET' ? {} : { 'Idempotency-Key': longestKey() };
        const send = () => client(method, url, { ...request, headers: { ...request?.headers, ...key } });
        const { units, bytes } = await consumedBy(send);
        costs.push(units);
        // The replay of a write can take more reads: the resource and the record.
        if (method !== 'GET') costs.push((await consumedBy(send)).units);
        expect(
          bytes,
          `the response to ${method} ${path} has ${bytes} bytes; add it to cdk/cost/method-limits.ts`,
        ).toBeLessThanOrEqual(largestResponses[`${method} ${path}`] ?? largestOtherResponse);
      }
      const mostExpensive = merge(costs, Math.max);
      flows.push(
        Object.fromEntries(Object.entries(mostExpensive).map(([place, units]) => [place, units * limits[id].rate])),
      );
    }
    const needed = merge(flows, (a, b) => a + b);
    const short = Object.entries(maximums).flatMap(([place, maximum]) => {
      const spare = place === unitsOf('table', 'writes') ? rejectedOnce : repeated;
      const least = Math.ceil((needed[place] ?? 0) * spare);
      return maximum < least
        ? [`${place}: ${maximum}, must be ${least} (maxRequestUnits in cdk/config/settings.ts)`]
        : [];
    });
    expect(short).toEqual([]);

    // The case that every replica lags, without the additional fifth.
    petstore.proxy.faultFor = lag;
    const stock = await consumedBy(() => staff('GET', '/store/inventory?limit=100&status=available&status=pending'));
    petstore.proxy.faultFor = () => undefined;
    const reads = unitsOf('table', 'reads');
    const usual = flows[operationIds.indexOf('listInventory')]![reads]!;
    const lagging = stock.units[reads]! * limits.listInventory.rate;
    expect(lagging).toBe(usual + 100 * limits.listInventory.rate);
    expect(needed[reads]! - usual + lagging).toBeLessThanOrEqual(maximums[reads]!);
  });

  it('are computed with response sizes that no response exceeds (cdk/cost/method-limits.ts)', async () => {
    const sizeOf = (path: string) => consumedBy(() => petstore.anonymous('GET', path)).then(({ bytes }) => bytes);
    expect(await sizeOf('/openapi.json')).toBeLessThanOrEqual(largestResponses['GET /openapi.json']!);
    expect(await sizeOf('/docs')).toBeLessThanOrEqual(largestOtherResponse);
    const page = (await petstore.anonymous('GET', '/docs')).text;
    const files = [...page.matchAll(/docs\/([\w.-]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files)
      expect([file, (await sizeOf(`/docs/${file}`)) <= largestResponses['GET /docs/{file}']!]).toEqual([file, true]);

    const names = Array.from({ length: 2_000 }, (_, index) => index.toString(36));
    const { status, body, text } = await petstore.staff('POST', `/pets?${names.join('&')}`, {
      body: Object.fromEntries([['\u0001'.repeat(400), 1], ...names.slice(0, 1_400).map(name => [name, 1])]),
    });
    expect([status, body.message.endsWith('; and 3383 more')]).toEqual([400, true]);
    expect(text.length).toBeLessThanOrEqual(largestOtherResponse);
  });
});

import { describe, expect, inject, it } from 'vitest';
import { limits } from '../../cdk/config/limits.ts';
import { usesTable } from '../../cdk/config/permissions.ts';
import { largestOtherResponse, largestResponses } from '../../cdk/cost/method-limits.ts';
import { onlyResourceOf } from '../../cdk/synthesis/template.ts';
import { filesOfPage } from '../../lib/docs-files.ts';
import { type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { isList } from '../../lib/operations/operation.ts';
import type { Call } from '../support/aws-json.ts';
import type { Fault } from '../support/aws-proxy.ts';
import { succeed } from '../support/fixtures.ts';
import { type Client, synthesizeShared, usePetstore } from '../support/petstore.ts';
import { requestOf, type World, world } from '../support/requests.ts';
import {
  byReference,
  operationsOf,
  type SimpleResource,
  simpleResources,
} from '../support/resources.ts';
import { signToken } from '../support/sign-token.ts';
import { type IdWithBody, largestBody } from '../support/values.ts';

/**
 * Measures the request units of the most expensive request of each operation, with items of the largest size, per table and
 * index. Multiplied by the operations' rates, the sums must not exceed the deployed table's maximum units.
 */

const longestKey = () => `k${Math.random()}`.padEnd(255, 'k');
/** The maximum length of a Cognito client id (API reference, "UserPoolClientType"). */
const longestOwner = 'o'.repeat(128);
/** The largest page, and one more item for a next page. */
const most = 101;

const petstore = usePetstore();

/** By kind and place, such as `reads of table` or `writes of all-1`. */
type Units = Readonly<Record<string, number>>;

/**
 * The measured requests have no conflicts and lose no responses, so their sums are multiplied. `rejectedOnce` doubles the writes
 * of the table: DynamoDB charges a write that a conflict rejects, and its retry. `repeated` adds a fifth to all other units, for
 * retries after lost responses. Throttled attempts are free.
 */
const rejectedOnce = 2;
const repeated = 1.2;

/** Of the deployed table and its indexes. */
const maximums: Record<string, number> = {};
const { template } = await synthesizeShared({ stage: 'prod' });
const [, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
for (const whole of [table, table.Replicas[0]])
  for (const { IndexName = 'table', ...of } of [whole, ...whole.GlobalSecondaryIndexes]) {
    const { WriteOnDemandThroughputSettings: writes, ReadOnDemandThroughputSettings: reads } = of;
    if (writes) maximums[`writes of ${IndexName}`] = writes.MaxWriteRequestUnits;
    if (reads) maximums[`reads of ${IndexName}`] = reads.MaxReadRequestUnits;
  }

/** For the units of each index, too. */
const measureIndexes = ({ body }: Call): undefined => {
  if (body.ReturnConsumedCapacity) body.ReturnConsumedCapacity = 'INDEXES';
};

/** The units in the engine's response to a call. */
const taken = ({ call, body }: (typeof petstore.proxy.responses)[number]): Units => {
  const kind = call.operation === 'TransactWriteItems' ? 'writes' : 'reads';
  const [{ Table: ofTable, GlobalSecondaryIndexes = {} } = {}] = [body.ConsumedCapacity].flat();
  const places = Object.entries<{ CapacityUnits: number } | undefined>({
    table: ofTable,
    ...GlobalSecondaryIndexes,
  });
  return Object.fromEntries(
    places.map(([place, units]) => [`${kind} of ${place}`, units?.CapacityUnits ?? 0]),
  );
};

const merge = (list: readonly Units[], combine: (a: number, b: number) => number): Units => {
  const merged: Record<string, number> = {};
  for (const [place, units] of list.flatMap(units => Object.entries(units)))
    merged[place] = combine(merged[place] ?? 0, units);
  return merged;
};

/**
 * DynamoDB also charges a rejected transaction, but does not document how much. So each counts as many table units as the most
 * expensive successful transaction of its request, and no index units.
 */
const consumedBy = async (...request: Parameters<typeof succeed>) => {
  petstore.proxy.responses.length = 0;
  const { headers, text } = await succeed(...request);
  const [landed = [], rejected = []] = [true, false].map(isOk =>
    petstore.proxy.responses.filter(({ status }) => (status === 200) === isOk).map(taken),
  );
  const mostExpensive = Math.max(0, ...landed.map(units => units['writes of table'] ?? 0));
  const units = merge(
    [...landed, { 'writes of table': rejected.length * mostExpensive }],
    (a, b) => a + b,
  );
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return { units, text, bytes: Buffer.byteLength(lines.join('\r\n') + text) };
};

/** A few at a time: on a busy machine, a hundred requests at once would exceed their deadlines. */
const times = async (count: number, make: () => Promise<number>): Promise<number[]> => {
  const done: number[] = [];
  while (done.length < count)
    done.push(
      ...(await Promise.all(Array.from({ length: Math.min(10, count - done.length) }, make))),
    );
  return done;
};
/** No replica has the pets of the index yet, so each is read again with strong consistency. */
const lag = ({ operation, body }: Call): Fault | undefined =>
  operation === 'BatchGetItem' && !body.RequestItems[petstore.tableName].ConsistentRead
    ? async (_, execute) => {
        const { status, body } = await execute();
        return { status, body: { ...body, Responses: {} } };
      }
    : undefined;
const simple = async ({ path, create }: SimpleResource): Promise<number> =>
  (await succeed(petstore.staff, 'POST', path, { body: largestBody(create) })).body.id;
/** A new parent for each reference. */
const parents = async (kind = 'PET') => {
  const ids: Record<string, number> = {};
  for (const [field, parent] of Object.entries(byReference(kind, noun => noun)))
    ids[field] = await simple(simpleResources.find(({ noun }) => noun === parent)!);
  return ids;
};
const pet = async (of: Readonly<Record<string, number>>, status = 'available') => {
  const body = largestBody('createPet', { ...of, status });
  return (await succeed(petstore.staff, 'POST', '/pets', { body })).body.id as number;
};
const orderFor = async (petId: number) =>
  largestBody('placeOrder', { ...(await parents('ORDER')), petId, quantity: 1, complete: false });

/** @param ids for its references, such as `petId` */
const largestBodyOf = (id: OperationId, ids: object) => {
  const { body } = operations[id].request as { body?: { shape: object } };
  const isReference = ([name]: [string, unknown]) => name.endsWith('Id') && name in body!.shape;
  return (
    body &&
    largestBody(id as IdWithBody, Object.fromEntries(Object.entries(ids).filter(isReference)))
  );
};
/** A body of the same size with other values. */
const changedFrom = (body: object) =>
  JSON.parse(JSON.stringify(body).replaceAll('😀', '🐈').replace('2027-', '2028-'));

const simpleLists = simpleResources.flatMap(({ noun }) => operationsOf(noun).filter(isList));

interface Case {
  readonly as?: Client;
  readonly of?: Partial<World>;
  readonly query?: string;
  readonly body?: object;
}
/** Of each method, in bytes. */
const responses: Record<string, number> = {};
const measured = (name: string, bytes: number) => {
  responses[name] = Math.max(responses[name] ?? 0, bytes);
};

describe.skipIf(inject('engine') !== 'Dynoxide')('the maximum request units', () => {
  it('exceed the units of all operations at their rates, each with its most expensive request', async () => {
    petstore.proxy.faultFor = measureIndexes;
    const { anonymous, staff } = petstore;
    const owner = petstore.withToken(
      await signToken(petstore.tokenKey, {
        client: longestOwner,
        scopes: ['orders', 'inventory.read'],
      }),
    );
    const crowd = await parents();
    for (const resource of simpleResources) await times(most, () => simple(resource));
    await times(most, () => pet(crowd, 'pending'));
    const available = await times(most, () => pet(crowd));
    const [first, second] = available as [number, number];
    await succeed(staff, 'PUT', `/store/inventory/${first}`, { body: { quantity: 1_000_000_000 } });
    const order = async (petId: number) =>
      (await succeed(owner, 'POST', '/store/orders', { body: await orderFor(petId) })).body.id;
    await times(most, () => order(first));
    const both = '&status=available&status=pending';
    const pages = (as: Client, ...queries: string[]) =>
      queries.map(query => ({ as, query: `?limit=100${query}` }));
    const moved = async () => ({ ...(await parents()), status: 'pending' });
    const cases: Partial<Record<OperationId, Case[]>> = {
      listPets: [
        { query: `?id=${available.slice(0, 100)}` },
        ...pages(
          anonymous,
          '',
          `&name=${encodeURIComponent(String(largestBody('createPet').name))}`,
          both,
          `&categoryId=${crowd.categoryId}`,
          `&categoryId=${crowd.categoryId}${both}`,
        ),
      ],
      ...Object.fromEntries(
        simpleLists.map(({ id, access }) => [
          id,
          pages(access === 'public' ? anonymous : staff, ''),
        ]),
      ),
      listInventory: pages(staff, '', both, '&onHold=true'),
      listOrders: [
        ...pages(owner, '', '&complete=false'),
        ...pages(staff, '', '&complete=false', `&petId=${first}`, `&petId=${first}&complete=false`),
      ],
      replacePet: [{ of: { petId: first }, body: largestBody('replacePet', await moved()) }],
      updatePet: [{ of: { petId: second }, body: largestBody('updatePet', await moved()) }],
      ...Object.fromEntries(
        simpleResources.map(({ replace: id }) => [id, [{ body: changedFrom(largestBody(id)) }]]),
      ),
      setInventory: [{ body: { quantity: 0 } }],
      placeOrder: [{ body: await orderFor(await pet(crowd)) }],
      updateOrder: [
        { as: staff, body: changedFrom(largestBody('updateOrder', { complete: true })) },
      ],
    };

    const known = await world({ anonymous, staff, shop: owner });
    const flows = new Map<OperationId, Units>();
    for (const id of operationIds.filter(usesTable)) {
      const costs: Units[] = [];
      for (const { as, of, query = '', body } of cases[id] ?? [{}]) {
        const largest = {
          ...Object.fromEntries(
            await Promise.all(simpleResources.map(async one => [one.idName, await simple(one)])),
          ),
          petId: await pet(crowd),
          orderId: await order(await pet(crowd)),
        };
        const request = requestOf(operations[id], { ...known, ...largest, ...of });
        const { method, path } = request;
        const client = as ?? { anonymous, staff, shop: owner }[request.as];
        const url = path + query;
        const sent = body ?? largestBodyOf(id, { ...crowd, ...(request.body as object) });
        const headers: Record<string, string> =
          method === 'GET' ? {} : { 'Idempotency-Key': longestKey() };
        if (method !== 'GET' && operations[id].path.endsWith('}'))
          headers['If-Match'] = (await succeed(client, 'GET', url)).headers.get('ETag')!;
        // The replay of a write can read more than the first request: the resource and the record.
        for (const _ of method === 'GET' ? ['request'] : ['request', 'replay']) {
          const { units, bytes } = await consumedBy(client, method, url, { headers, body: sent });
          costs.push(units);
          measured(`${method} ${operations[id].path}`, bytes);
        }
      }
      const mostExpensive = Object.entries(merge(costs, Math.max));
      flows.set(
        id,
        Object.fromEntries(mostExpensive.map(([place, units]) => [place, units * limits[id].rate])),
      );
    }
    const needed = merge([...flows.values()], (a, b) => a + b);
    const short = Object.entries(maximums).flatMap(([place, maximum]) => {
      const least = Math.ceil(
        (needed[place] ?? 0) * (place === 'writes of table' ? rejectedOnce : repeated),
      );
      return maximum < least
        ? [`${place}: ${maximum}, must be ${least} (maxRequestUnits in cdk/config/settings.ts)`]
        : [];
    });
    expect(short).toEqual([]);
    const unread = Object.keys(maximums).filter(
      place => place.startsWith('reads') && !needed[place],
    );
    expect(unread, 'no case above measures these').toEqual([]);

    // If every replica lags, the maximum must hold, too, but without the factor `repeated`.
    petstore.proxy.faultFor = call => measureIndexes(call) ?? lag(call);
    const stock = await consumedBy(staff, 'GET', `/store/inventory?limit=100${both}`);
    petstore.proxy.faultFor = () => undefined;
    const reads = 'reads of table';
    const usual = flows.get('listInventory')![reads]!;
    const lagging = stock.units[reads]! * limits.listInventory.rate;
    expect(lagging).toBe(usual + 100 * limits.listInventory.rate);
    expect(needed[reads]! - usual + lagging).toBeLessThanOrEqual(maximums[reads]!);
  });

  it('are computed with response sizes that no response exceeds', async () => {
    const { anonymous, staff } = petstore;
    for (const _ of ['first', 'second']) {
      const ordered = await pet(await parents());
      await succeed(staff, 'POST', '/store/orders', { body: await orderFor(ordered) });
      await pet(await parents());
      for (const resource of simpleResources) await simple(resource);
    }
    // The newest item is the largest. A page has the size of 100 such items, with a Link.
    for (const path of ['/pets', '/store/orders', ...simpleLists.map(({ path }) => path)]) {
      const { bytes, text } = await consumedBy(staff, 'GET', `${path}?limit=1`);
      measured(`GET ${path}`, bytes + 99 * (Buffer.byteLength(text) - 1));
    }
    const files = Object.keys(filesOfPage).map(file => ['/docs/{file}', `/docs/${file}`] as const);
    for (const [template, path = template] of [['/openapi.json'], ['/docs'], ...files] as const)
      measured(`GET ${template}`, (await consumedBy(anonymous, 'GET', path)).bytes);
    const tooLarge = Object.entries(responses).flatMap(([name, bytes]) => {
      const maximum = largestResponses[name] ?? largestOtherResponse;
      const rounded = Math.ceil((bytes * 1.03) / 1_000) * 1_000;
      return bytes > maximum
        ? [
            `${name}: ${maximum}, must be ${rounded} (largestResponses in cdk/cost/method-limits.ts)`,
          ]
        : [];
    });
    expect(tooLarge).toEqual([]);

    const names = Array.from({ length: 2_000 }, (_, index) => index.toString(36));
    const { status, body, text } = await petstore.staff('POST', `/pets?${names.join('&')}`, {
      body: Object.fromEntries([
        ['\u0001'.repeat(400), 1],
        ...names.slice(0, 1_400).map(name => [name, 1]),
      ]),
    });
    expect([status, body.message.endsWith('; and 3383 more')]).toEqual([400, true]);
    expect(text.length).toBeLessThanOrEqual(largestOtherResponse);
  });
});

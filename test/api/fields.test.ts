import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type * as z from 'zod/mini';
import { connect } from '../../cdk/local/engine/table.ts';
import { eventsOf } from '../../lib/events/changes.ts';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { succeed } from '../support/fixtures.ts';
import { newPet } from '../support/new-pet.ts';
import { type Client, clientOf, usePetstore } from '../support/petstore.ts';
import { requestOf, type World, world } from '../support/requests.ts';
import { operationsOf, type StoredNoun, storedNouns } from '../support/resources.ts';
import { type IdWithBody, sampleBody } from '../support/values.ts';

/** Every field is derived from the schemas, so a new field is tested, too. */

const petstore = usePetstore();
const client = DynamoDBDocumentClient.from(connect(inject('endpoint')));

type Fields = Record<string, unknown>;
type Shape = Readonly<Record<string, z.ZodMiniType>>;
const shapeOf = (schema: unknown): Shape =>
  (schema as { shape?: Shape } | null | undefined)?.shape ?? {};
const isOptional = (schema: z.ZodMiniType) => schema.safeParse(undefined).success;

interface Special {
  /** Other requests that write the item, in this order. They may change the fields in `changed`. */
  readonly others: (id: number) => readonly [method: string, path: string, body?: object][];
  readonly changed?: readonly string[];
}

let known: World;
beforeAll(async () => {
  known = await world(petstore);
});

/** What does not follow from the operations of a resource. */
const special: Readonly<Partial<Record<StoredNoun, Special>>> = {
  pet: {
    others: id => [
      ['PUT', `/store/inventory/${id}`, { quantity: 2 }],
      ['POST', '/store/orders', { petId: id, quantity: 2 }],
      ['PUT', `/store/inventory/${id}`, { quantity: 1 }],
      ['PATCH', `/pets/${id}`, { status: 'pending' }],
      ['PATCH', `/pets/${id}`, { status: 'available' }],
      ['PATCH', `/pets/${id}`, { categoryId: known.categoryOfPets }],
    ],
    changed: ['status', 'categoryId'],
  },
  category: { others: id => [['POST', '/pets', { ...newPet, categoryId: id }]] },
  order: {
    others: id => [['PATCH', `/store/orders/${id}`, { complete: true }]],
    changed: ['complete'],
  },
};

const keyOf = (noun: StoredNoun, id: number) => ({
  pk: `${noun.toUpperCase()}#${id}`,
  sk: noun.toUpperCase(),
});
const pathTo = ({ path }: RegisteredOperation, id: unknown) => path.replace(/{\w+}/, String(id));
const parsedBy = ({ request }: RegisteredOperation, body: object) =>
  (request.body as z.ZodMiniType<object>).parse(body);
const itemOf = async (noun: StoredNoun, id: number) =>
  (await client.send(new GetCommand({ TableName: petstore.tableName, Key: keyOf(noun, id) })))
    .Item!;
const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
/** Values of the fields with rules of their own, if the body has these fields. */
const givenTo = ({ request }: RegisteredOperation): Fields => {
  const given = { ...known, status: 'available', quantity: 1, complete: false };
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => name in shapeOf(request.body)),
  );
};

/**
 * The queries of a list with each combination of filters that it allows, so that each index, and each read by id, is used. A
 * filter is a parameter with the name of a field. By itself, each is allowed.
 */
const queriesOf = ({ request: { query } }: RegisteredOperation, resource: Fields): string[] => {
  const filters = Object.keys(shapeOf(query)).filter(name => resource[name] !== undefined);
  const valuesOf = (name: string) => [
    `${resource[name]}`,
    ...(name === 'id' ? [`${resource.id},${known.petId}`] : []),
  ];
  const queries = filters.reduce<Record<string, string>[]>(
    (all, name) =>
      all.flatMap(one => [one, ...valuesOf(name).map(value => ({ ...one, [name]: value }))]),
    [{}],
  );
  const isAllowed = (one: Record<string, string>) =>
    (query as z.ZodMiniType).safeParse(
      Object.fromEntries(Object.entries(one).map(([name, value]) => [name, [value]])),
    ).success;
  return queries
    .filter(one => Object.keys(one).length === 1 || isAllowed(one))
    .map(one => `${new URLSearchParams({ limit: '100', ...one })}`);
};

const made = async (...request: Parameters<Client>) =>
  (await succeed(petstore.staff, ...request)).body;

/** With the current ETag if the resource exists. The response must have the new one. */
const write = async (method: string, path: string, body?: object) => {
  if (method === 'POST') return made(method, path, { body });
  const tag = async () => (await petstore.staff('GET', path)).headers.get('ETag')!;
  const request = { body, headers: { 'If-Match': await tag() } };
  const response = await succeed(petstore.staff, method, path, request);
  expect(response.headers.get('ETag'), `${method} ${path}`).toBe(await tag());
  return response.body;
};

/** Later code may add a field to an item. It must change no response, and every write must keep it. */
const later = { fur: 'long' };
const addLaterField = async (noun: StoredNoun, id: number) => {
  const item = await itemOf(noun, id);
  const Item = { ...item, projected: { ...item.projected, ...later } };
  await client.send(new PutCommand({ TableName: petstore.tableName, Item }));
};

describe.each(storedNouns)('%s', noun => {
  const { others = () => [], changed = [] } = special[noun] ?? {};
  const operations = operationsOf(noun);
  const of = (method: string) => operations.filter(one => one.method === method);
  const [creation] = of('POST') as [RegisteredOperation];
  const read = of('GET').find(({ path }) => path !== creation.path)!;
  const list = of('GET').find(({ path }) => path === creation.path)!;
  const changes = [...of('PUT'), ...of('PATCH')];
  const bodyOf = (operation: RegisteredOperation, seed: number) =>
    sampleBody(operation.id as IdWithBody, seed, givenTo(operation)) as Fields & {
      shipDate?: string;
    };
  const create = (seed: number) => made('POST', creation.path, { body: bodyOf(creation, seed) });

  it('has every field that was sent in every response, list and event, until another request changes it', async () => {
    let id = 0;
    let former: Fields = {};
    const listed = async (query: string) =>
      (await made('GET', `${list.path}?${query}`)).find((one: Fields) => one.id === id);
    for (const [index, operation] of [creation, ...changes].entries()) {
      const body = bodyOf(operation, index + 1);
      const current = await write(operation.method, pathTo(operation, id), body);
      id = current.id;
      if (operation === creation) await addLaterField(noun, id);
      expect(current, operation.id).toMatchObject(parsedBy(operation, body));
      expect(await made('GET', pathTo(read, id))).toEqual(current);
      for (const query of queriesOf(list, current)) {
        // Without a poll, so that an error, such as a missing permission (cdk/config/permissions.ts), fails at once.
        await listed(query);
        await expect.poll(() => listed(query), { message: query }).toEqual(current);
      }
      // Another value beside current ones, of before or another id, finds nothing: no filter is ignored.
      const elsewhere = Object.entries(current).flatMap(([name, value]) => {
        const other = typeof value === 'number' ? known.petId : former[name];
        return queriesOf(list, { ...current, [name]: other });
      });
      for (const query of new Set(elsewhere).difference(new Set(queriesOf(list, current))))
        await expect.poll(() => listed(query), { message: `not ${query}` }).toBeUndefined();
      former = current;
      expect(eventsOf(undefined, await itemOf(noun, id)).map(({ data }) => data)).toContainEqual(
        current,
      );
    }
    const before = await made('GET', pathTo(read, id));
    for (const [method, path, body] of others(id)) {
      await write(method, path, body);
      const after = await made('GET', pathTo(read, id));
      expect(without(after, changed), `${method} ${path}`).toEqual(without(before, changed));
    }
    expect((await itemOf(noun, id)).projected).toMatchObject(later);
  });

  it.each(changes)(
    '$id with equal values, also in another spelling, writes nothing',
    async operation => {
      const body = bodyOf(creation, 7);
      const { id } = await create(7);
      const spelled = {
        ...(body.name !== undefined && { name: `\t${body.name} ` }),
        ...(body.shipDate !== undefined && { shipDate: body.shipDate.replace(/Z$/, '000+00:00') }),
      };
      const same = Object.fromEntries(
        Object.entries({ ...body, ...spelled }).filter(
          ([name]) => name in shapeOf(operation.request.body),
        ),
      );
      const before = await itemOf(noun, id);
      await made(operation.method, pathTo(operation, id), { body: same });
      expect(await itemOf(noun, id)).toEqual(before);
    },
  );

  const fieldsOfChanges = changes.flatMap(operation =>
    Object.keys(shapeOf(successOf(operation).body)).map(field => ({
      id: operation.id,
      field,
      operation,
    })),
  );
  // If a response can lack a field that the request can have, `null` in a PATCH or its absence in a PUT removes it. For every other
  // field, a PATCH rejects `null`; a PUT without it is rejected if it requires the field, and else keeps its value.
  it.each(fieldsOfChanges)(
    '$id treats the absent or null field $field by the rule',
    async ({ operation, field }) => {
      const before = await create(9);
      const isPut = operation.method === 'PUT';
      const changing = isPut ? without(bodyOf(creation, 9), [field]) : { [field]: null };
      const path = pathTo(operation, before.id);
      const after = await petstore.staff(operation.method, path, { body: changing });
      const inResponse = shapeOf(successOf(operation).body)[field];
      const inRequest = shapeOf(operation.request.body)[field];
      if (inRequest && isOptional(inResponse!))
        expect([after.status, after.body]).toEqual([200, without(before, [field])]);
      else if (isPut && (!inRequest || isOptional(inRequest)))
        expect([after.status, after.body]).toEqual([200, before]);
      else
        expect([after.status, after.body.message]).toEqual([
          400,
          expect.stringMatching(`^body\\.${field}: `),
        ]);
    },
  );
});

const fieldsOfBodies = allOperations
  .filter(({ method, request }) => request.body && method !== 'PATCH')
  .flatMap(operation =>
    [...new Set(['id', ...Object.keys(shapeOf(operation.request.body))])].map(field => ({
      id: operation.id,
      field,
      operation,
    })),
  );
it.each(fieldsOfBodies)(
  '$id takes a null $field for an absent one, also with a key, unless it is required or unknown',
  async ({ id, operation, field }) => {
    // This client does not validate requests: the document has no such null.
    const staff = clientOf(petstore.url, await petstore.token('staff'));
    const { method, path, body } = requestOf(operation, await world(petstore));
    const headers = { 'Idempotency-Key': `${id} with null ${field}` };
    const send = (value?: null) =>
      staff(method, path, { headers, body: { ...(body as object), [field]: value } });
    const response = await send(null);
    const schema = shapeOf(operation.request.body)[field];
    if (schema && isOptional(schema)) {
      const again = await send();
      const { status } = successOf(operation);
      expect([response.status, again.headers.get('Idempotent-Replayed'), again.text]).toEqual([
        status,
        'true',
        response.text,
      ]);
    } else
      expect([response.status, response.body.message]).toEqual([
        400,
        expect.stringMatching(`^body\\.${field}: `),
      ]);
  },
);

import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type * as z from 'zod/mini';
import { connect } from '../../cdk/local/engine/table.ts';
import { eventsOf } from '../../lib/events/changes.ts';
import type { Resource } from '../../lib/model/kinds.ts';
import { categoryKey, orderKey, petKey } from '../../lib/model/table/keys.ts';
import { type OperationId, operations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { type Client, usePetstore } from '../support/petstore.ts';
import { type IdWithBody, pathOf, type World, world } from '../support/requests.ts';
import { sampleBody } from '../support/values.ts';

/** Every field is derived from the schemas, so a new field is tested, too. */

const petstore = usePetstore();
const client = DynamoDBDocumentClient.from(connect(inject('endpoint')));

type Fields = Record<string, unknown>;
type Shape = Readonly<Record<string, z.ZodMiniType>>;
const shapeOf = (schema: unknown): Shape => (schema as { shape?: Shape } | null | undefined)?.shape ?? {};
const isOptional = (schema: z.ZodMiniType) => schema.safeParse(undefined).success;

interface Tested {
  readonly read: OperationId;
  readonly create: IdWithBody;
  readonly change: readonly IdWithBody[];
  readonly keyOf: (id: number) => { pk: string; sk: string };
  /** The lists that return the resource: each uses another index, or reads the item by its id. */
  readonly lists: (resource: Fields) => readonly string[];
  /** Other requests that write the item, in this order. They may change the fields in `changed`. */
  readonly others: (id: number) => readonly [method: string, path: string, body?: object][];
  readonly changed: readonly string[];
}

let known: World;
beforeAll(async () => {
  known = await world(petstore);
});

/** The compiler demands each resource with an item of its own. */
const resources: Readonly<Record<Exclude<Resource['noun'], 'inventory'>, Tested>> = {
  pet: {
    read: 'getPet',
    create: 'createPet',
    change: ['replacePet', 'updatePet'],
    keyOf: petKey,
    lists: ({ id, status, categoryId: of }) =>
      [
        '',
        `status=${status}`,
        `categoryId=${of}`,
        `categoryId=${of}&status=${status}`,
        `id=${id}`,
        `id=${id},${known.petId}`,
      ].map(query => `/pets?limit=100&${query}`.replace(/limit=100&(?=id)/, '')),
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
  category: {
    read: 'getCategory',
    create: 'createCategory',
    change: ['replaceCategory'],
    keyOf: categoryKey,
    lists: () => ['/pets/categories?limit=100'],
    others: id => [['POST', '/pets', { name: 'Tom', categoryId: id }]],
    changed: [],
  },
  order: {
    read: 'getOrder',
    create: 'placeOrder',
    change: ['updateOrder'],
    keyOf: orderKey,
    lists: () =>
      ['', 'complete=false', `petId=${known.petId}`, `petId=${known.petId}&complete=false`].map(
        query => `/store/orders?limit=100&${query}`,
      ),
    others: id => [['PATCH', `/store/orders/${id}`, { complete: true }]],
    changed: ['complete'],
  },
};

const pathTo = (operation: RegisteredOperation, id: unknown) =>
  pathOf(operation, { petId: id, categoryId: id, orderId: id });
const parsedBy = ({ request }: RegisteredOperation, body: object) =>
  (request.body as z.ZodMiniType<object>).parse(body);
const itemOf = async ({ keyOf }: Tested, id: number) =>
  (await client.send(new GetCommand({ TableName: petstore.tableName, Key: keyOf(id) }))).Item!;
const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
/** Values of the fields with rules of their own, if the body has these fields. */
const givenTo = ({ request }: RegisteredOperation): Fields => {
  const { categoryId, petId } = known;
  const given = { categoryId, petId, status: 'available', quantity: 1, complete: false };
  return Object.fromEntries(Object.entries(given).filter(([name]) => name in shapeOf(request.body)));
};

const made = async (...request: Parameters<Client>) => {
  const response = await petstore.staff(...request);
  expect(response.status, response.text).toBeLessThan(300);
  return response.body;
};

/** With the current ETag if the resource exists. The response must have the new one. */
const write = async (method: string, path: string, body?: object) => {
  if (method === 'POST') return made(method, path, { body });
  const tag = async () => (await petstore.staff('GET', path)).headers.get('ETag')!;
  const response = await petstore.staff(method, path, { body, headers: { 'If-Match': await tag() } });
  expect([response.status, response.headers.get('ETag')], `${method} ${path}`).toEqual([200, await tag()]);
  return response.body;
};

/** Later code may add a field to an item. It must change no response, and every write must keep it. */
const later = { fur: 'long' };
const addLaterField = async (resource: Tested, id: number) => {
  const { projected } = await itemOf(resource, id);
  const item = { TableName: petstore.tableName, Key: resource.keyOf(id), UpdateExpression: 'SET projected = :later' };
  const ExpressionAttributeValues = { ':later': { ...projected, ...later } };
  await client.send(new UpdateCommand({ ...item, ExpressionAttributeValues }));
};

describe.each(Object.entries(resources))('%s', (_, resource) => {
  const { read, create, change, lists, others, changed } = resource;

  it('has every field that was sent in every response, list and event, until another request changes it', async () => {
    const creation = operations[create];
    const requests = [create, ...change].map(
      (id, seed) => [operations[id], sampleBody(id, seed + 1, givenTo(operations[id]))] as const,
    );
    let id = 0;
    for (const [operation, body] of requests) {
      const path = operation === creation ? operation.path : pathTo(operation, id);
      const current = await write(operation.method, path, body);
      id = current.id;
      if (operation === creation) await addLaterField(resource, id);
      expect(current, operation.id).toMatchObject(parsedBy(operation, body));
      expect(await made('GET', pathTo(operations[read], id))).toEqual(current);
      for (const list of lists(current))
        await expect
          .poll(async () => (await made('GET', list)).find((one: Fields) => one.id === id), { message: list })
          .toEqual(current);
      expect(eventsOf(undefined, await itemOf(resource, id)).map(({ data }) => data)).toContainEqual(current);
    }
    const before = await made('GET', pathTo(operations[read], id));
    for (const [method, path, body] of others(id)) {
      await write(method, path, body);
      const after = await made('GET', pathTo(operations[read], id));
      expect(without(after, changed), `${method} ${path}`).toEqual(without(before, changed));
    }
    expect((await itemOf(resource, id)).projected).toMatchObject(later);
  });

  it.each(change)('%s with equal values, also in another spelling, writes nothing', async operationId => {
    const operation = operations[operationId];
    const body = sampleBody(create, 7, givenTo(operations[create])) as Fields & { shipDate?: string };
    const { id } = await made('POST', operations[create].path, { body });
    const spelled = {
      ...(body.name !== undefined && { name: `\t${body.name} ` }),
      ...(body.shipDate !== undefined && { shipDate: body.shipDate.replace(/Z$/, '000+00:00') }),
    };
    const same = Object.fromEntries(
      Object.entries({ ...body, ...spelled }).filter(([name]) => name in shapeOf(operation.request.body)),
    );
    const before = await itemOf(resource, id);
    await made(operation.method, pathTo(operation, id), { body: same });
    expect(await itemOf(resource, id)).toEqual(before);
  });

  const fieldsOfChanges = change.flatMap(operationId =>
    Object.keys(shapeOf(successOf(operations[operationId]).body)).map(field => [operationId, field] as const),
  );
  // If a response can lack a field, `null` in a PATCH or its absence in a PUT removes it. For every other field, a PATCH rejects
  // `null`; a PUT without it is rejected if it requires the field, and else keeps its value.
  it.each(fieldsOfChanges)('%s treats the absent or null field %s by the rule', async (operationId, field) => {
    const operation = operations[operationId];
    const body = sampleBody(create, 9, givenTo(operations[create])) as Fields;
    const before = await made('POST', operations[create].path, { body });
    const isPut = operation.method === 'PUT';
    const { [field]: __, ...others } = body;
    const changing = isPut ? others : { [field]: null };
    const after = await petstore.staff(operation.method, pathTo(operation, before.id), { body: changing });
    const [inResponse, inRequest] = [successOf(operation).body, operation.request.body].map(of => shapeOf(of)[field]);
    if (isOptional(inResponse!))
      expect([inRequest !== undefined, after.status, after.body]).toEqual([true, 200, without(before, [field])]);
    else if (isPut && (!inRequest || isOptional(inRequest))) expect([after.status, after.body]).toEqual([200, before]);
    else expect([after.status, after.body.message]).toEqual([400, expect.stringMatching(`^body\\.${field}: `)]);
  });
});

import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import {
  categoryIndexKeys,
  categoryKey,
  orderIndexKeys,
  orderKey,
  petIndexKeys,
  petKey,
} from '../../lib/model/table/keys.ts';
import { type OperationId, operations } from '../../lib/operations/index.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';

const owner = 'bench';
const claims = {
  client_id: owner,
  token_use: 'access',
  scope: scopes.map(scope => `${resourceServer}/${scope}`).join(' '),
};

const pet = {
  id: 1,
  name: 'Tom',
  categoryId: 1,
  status: 'available',
  availableQuantity: 1_000_000,
  reservedQuantity: 1,
  onHold: false,
} as const;
const category = { id: 1, name: 'Cats', petCount: 2, version: 1 };
const order = { id: 1, petId: 1, quantity: 1, complete: false, ownerId: owner, clientId: owner, version: 1 };

/** The items that requests use: a pet that is read and ordered, with units for every order, and items to delete. */
const items = [
  ...[pet, { ...pet, id: 2, availableQuantity: 1, reservedQuantity: 0 }].map(it => ({
    ...petKey(it.id),
    ...petIndexKeys(it),
    ...it,
    version: 1,
  })),
  ...[category, { ...category, id: 2, petCount: 0 }].map(it => ({
    ...categoryKey(it.id),
    ...categoryIndexKeys(it.id),
    ...it,
  })),
  { ...orderKey(order.id), ...orderIndexKeys(order), ...order },
];

/** Restores the items that requests use. */
export const putItems = async (client: DynamoDBClient, tableName: string) => {
  for (const item of items) await client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
};

const parameters: Readonly<Record<string, string>> = { petId: '1', categoryId: '1', orderId: '1', file: 'page.js' };
const deletable: Readonly<Record<string, string>> = { petId: '2', categoryId: '2' };

const bodies: { readonly [id in OperationId]?: object } = {
  createPet: { name: 'Kit', categoryId: 1 },
  replacePet: { name: 'Kit', categoryId: 1 },
  updatePet: { name: 'Kit' },
  createCategory: { name: 'Dogs' },
  replaceCategory: { name: 'Dogs' },
  setInventory: { quantity: 1_000_000 },
  placeOrder: { petId: 1 },
  updateOrder: { complete: true },
};

/** A successful request of an operation, as an API Gateway event. */
export const eventOf = (id: OperationId): object => {
  const { path: resource, method } = operations[id];
  const chosen = id.startsWith('delete') ? { ...parameters, ...deletable } : parameters;
  const names = [...resource.matchAll(/{(\w+)}/g)].map(([, name]) => name!);
  const path = resource.replace(/{(\w+)}/g, (_, name) => chosen[name]!);
  const body = bodies[id];
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = body ? { 'Content-Type': type } : {};
  return {
    ...{ resource, path, httpMethod: method, headers },
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    pathParameters: names.length > 0 ? Object.fromEntries(names.map(name => [name, chosen[name]])) : null,
    ...{ queryStringParameters: null, multiValueQueryStringParameters: null },
    body: body ? JSON.stringify(body) : null,
    requestContext: { requestId: owner, path: `/prod${path}`, domainName: 'example.com', authorizer: { claims } },
  };
};

import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { buildProxyEvent } from '../../cdk/local/gateway/proxy-event.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import { storedOrder } from '../../lib/model/order-item.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { type OperationId, operations } from '../../lib/operations/index.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { requestOf, type World } from '../support/requests.ts';

const world: World = { categoryId: 2, categoryOfPets: 1, petId: 1, orderId: 1, file: 'page.js' };
const scope = scopes.map(name => `${resourceServer}/${name}`).join(' ');
const claims = { client_id: 'bench', token_use: 'access', scope };

const pet = { ...newPetItem(1, { name: 'Tom', categoryId: 1, status: 'available' }), availableQuantity: 1_000_000 };
const order = { id: 1, petId: 2, quantity: 1, complete: false, ownerId: 'bench', clientId: 'bench', version: 1 };
/** What the requests use: a pet with units for every order, its category, one without pets, and an order of another pet. */
const items = [
  storedPet(pet),
  storedPet({ ...pet, id: 2, reservedQuantity: 1 }),
  { ...storedCategory({ id: 1, name: 'Cats' }), petCount: 2 },
  storedCategory({ id: 2, name: 'Dogs' }),
  storedOrder(order),
];

/** Restores what the requests use. */
export const putItems = async (client: DynamoDBClient, tableName: string) => {
  for (const item of items)
    await client.send(new PutItemCommand({ TableName: tableName, Item: marshall({ ...item, writeCount: 1 }) }));
};

/** A request of an operation that succeeds, as an API Gateway event. */
export const eventOf = (id: OperationId): object => {
  const { method, path, body } = requestOf(operations[id], world);
  const resource = operations[id].path;
  const names = [...resource.matchAll(/{(\w+)}/g)].map(([, name]) => name as keyof World);
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return buildProxyEvent(
    {
      method,
      path,
      query: '',
      headers: body ? [['Content-Type', type]] : [],
      body: body ? JSON.stringify(body) : '',
      host: 'example.com',
      sourceIp: '192.0.2.1',
      requestId: 'bench',
    },
    {
      resource,
      parameters: Object.fromEntries(names.map(name => [name, String(world[name])])),
      stage: 'prod',
      apiId: 'bench',
      claims,
    },
  );
};

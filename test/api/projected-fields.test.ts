import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, it } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { categoryKey, orderKey, petKey } from '../../lib/model/table/keys.ts';
import { usePetstore } from '../support/petstore.ts';
import { world } from '../support/requests.ts';

/** A field that a later version adds to the map `projected`, which every index has (test/stack/frozen.test.ts). */

const petstore = usePetstore();
const client = DynamoDBDocumentClient.from(connect(inject('endpoint')));

it('a projected field of a later version changes no response, and is kept by every write', async () => {
  const { petId, orderId, categoryId, categoryOfPets } = await world(petstore);
  const paths = [`/pets/${petId}`, `/pets?categoryId=${categoryOfPets}`, `/pets?id=${petId}`];
  const read = async (path: string) => {
    const { body, headers } = await petstore.anonymous('GET', path);
    return [body, headers.get('ETag')];
  };
  const before = await Promise.all(paths.map(read));

  const keys = [petKey(petId), categoryKey(categoryOfPets), orderKey(orderId)];
  const items = keys.map(Key => ({ TableName: petstore.tableName, Key }));
  const ExpressionAttributeValues = { ':projected': { breed: 'Manx' } };
  for (const item of items)
    await client.send(
      new UpdateCommand({ ...item, UpdateExpression: 'SET projected = :projected', ExpressionAttributeValues }),
    );
  expect(await Promise.all(paths.map(read))).toEqual(before);

  for (const [method, path, body] of [
    ['PATCH', `/pets/${petId}`, { name: 'Kit' }],
    ['PUT', `/pets/${petId}`, { name: 'Kit', categoryId, status: 'sold' }],
    ['PUT', `/store/inventory/${petId}`, { quantity: 3 }],
    ['PUT', `/pets/categories/${categoryOfPets}`, { name: 'Dogs' }],
    ['PATCH', `/store/orders/${orderId}`, { shipDate: '2027-01-04T09:00:00Z' }],
    ['PATCH', `/store/orders/${orderId}`, { complete: true }],
  ] as const)
    expect((await petstore.staff(method, path, { body })).status, `${method} ${path}`).toBe(200);
  for (const item of items)
    expect((await client.send(new GetCommand(item))).Item!.projected, item.Key.pk).toEqual({ breed: 'Manx' });
});

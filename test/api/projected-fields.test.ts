import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { categoryKey, orderKey, petKey } from '../../lib/model/table/keys.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

/** A field that a later version adds to the map `projected`, which every index has (test/config/frozen.test.ts). */

const petstore = usePetstore();
const client = connect(inject('endpoint'));
type Key = ReturnType<typeof petKey>;

const setBreed = (key: Key) =>
  client.send(
    new UpdateItemCommand({
      TableName: petstore.tableName,
      Key: marshall(key),
      UpdateExpression: 'SET projected = :projected',
      ExpressionAttributeValues: marshall({ ':projected': { breed: 'Manx' } }),
    }),
  );
const projectedOf = async (key: Key) =>
  unmarshall((await client.send(new GetItemCommand({ TableName: petstore.tableName, Key: marshall(key) }))).Item!)
    .projected;

describe('a projected field of a later version', () => {
  it('does not change the responses of this version', async () => {
    const pet = await createPet(petstore.staff, (await createCategory(petstore.staff)).id);
    const before = await petstore.anonymous('GET', `/pets/${pet.id}`);
    await setBreed(petKey(pet.id));
    const after = await petstore.anonymous('GET', `/pets/${pet.id}`);
    expect([after.body, after.headers.get('ETag')]).toEqual([pet, before.headers.get('ETag')]);
    for (const query of [`categoryId=${pet.categoryId}`, `id=${pet.id}`])
      expect((await petstore.anonymous('GET', `/pets?${query}`)).body).toEqual([pet]);
  });

  it('is kept by every write of this version', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const { body: order } = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id, quantity: 5 } });
    const keys = [petKey(pet.id), categoryKey(pet.categoryId), orderKey(order.id)];
    for (const key of keys) await setBreed(key);

    const moved = (await createCategory(petstore.staff)).id;
    for (const [method, path, body] of [
      ['PATCH', `/pets/${pet.id}`, { name: 'Kit' }],
      ['PUT', `/pets/${pet.id}`, { name: 'Kit', categoryId: moved, status: 'sold' }],
      ['PUT', `/store/inventory/${pet.id}`, { quantity: 3 }],
      ['PUT', `/pets/categories/${pet.categoryId}`, { name: 'Dogs' }],
      ['PATCH', `/store/orders/${order.id}`, { shipDate: '2027-01-04T09:00:00Z' }],
      ['PATCH', `/store/orders/${order.id}`, { complete: true }],
    ] as const)
      expect((await petstore.staff(method, path, { body })).status, `${method} ${path}`).toBe(200);
    for (const key of keys) expect(await projectedOf(key), key.pk).toEqual({ breed: 'Manx' });
  });
});

import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { connect, localCredentials, localRegion } from '../../cdk/local/engine/table.ts';
import type { Item, Key } from '../../lib/model/table/calls.ts';
import { categoryKey, orderKey, partitions, petKey } from '../../lib/model/table/keys.ts';
import type { Selection } from '../../lib/model/table/list.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
let listItems: typeof import('../../lib/model/table/list.ts').listItems;
let getItem: typeof import('../../lib/model/table/calls.ts').getItem;

beforeAll(async () => {
  vi.stubEnv('TABLE_NAME', petstore.tableName);
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('endpoint'));
  vi.stubEnv('AWS_REGION', localRegion);
  vi.stubEnv('AWS_ACCESS_KEY_ID', localCredentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', localCredentials.secretAccessKey);
  // Another file of this process may have loaded them with another environment.
  vi.resetModules();
  ({ listItems } = await import('../../lib/model/table/list.ts'));
  ({ getItem } = await import('../../lib/model/table/calls.ts'));
});

/** Writes what a later version would have written: a field inside the map that every index projects. */
const setBreed = async (key: Key, breed: string) => {
  const client = connect(inject('endpoint'));
  await client.send(
    new UpdateItemCommand({
      TableName: petstore.tableName,
      Key: marshall(key),
      UpdateExpression: 'SET projected = :projected',
      ExpressionAttributeValues: marshall({ ':projected': { breed } }),
    }),
  );
  client.destroy();
};

/** Reads an item as that version would, according to lib/model/README.md. An older item has no map. */
const read = ({ id, name, projected }: Item) => ({
  id,
  name,
  ...(projected?.breed !== undefined && { breed: projected.breed }),
});

describe('a projected field that was added after the first deployment', () => {
  it('is read from the item and from every index, also beside older items without it', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const older = await createPet(petstore.staff, categoryId);
    const newer = await createPet(petstore.staff, categoryId);
    await setBreed(petKey(newer.id), 'Manx');
    const ofItems = [await getItem(petKey(newer.id)), await getItem(petKey(older.id))].map(item => read(item!));
    expect(ofItems).toEqual([
      { id: newer.id, name: 'Tom', breed: 'Manx' },
      { id: older.id, name: 'Tom' },
    ]);

    const selections: Selection[] = [
      { index: 'all', partitions: [partitions.pets] },
      { index: 'byState', partitions: [partitions.petsInStatus('available')] },
      { index: 'byGroup', partitions: [partitions.petsOfCategory(categoryId)] },
      { index: 'byGroupAndState', partitions: [partitions.petsOfCategoryInStatus(categoryId, 'available')] },
    ];
    for (const selection of selections) {
      const { items } = await listItems(selection, { limit: 2 });
      expect(items.map(read), `the index ${selection.index} does not show what the item has`).toEqual(ofItems);
    }
  });

  it('does not change the responses of a version that does not know it', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, categoryId);
    const before = await petstore.anonymous('GET', `/pets/${pet.id}`);
    await setBreed(petKey(pet.id), 'Manx');
    const after = await petstore.anonymous('GET', `/pets/${pet.id}`);
    expect([after.body, after.headers.get('ETag')]).toEqual([pet, before.headers.get('ETag')]);
    expect((await petstore.anonymous('GET', `/pets?categoryId=${categoryId}`)).body).toEqual([pet]);
    expect((await petstore.anonymous('GET', `/pets?id=${pet.id}`)).body).toEqual([pet]);
  });

  it('is kept by every write of a version that does not know it', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const { body: order } = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id, quantity: 5 } });
    const keys = [petKey(pet.id), categoryKey(pet.categoryId), orderKey(order.id)];
    for (const key of keys) await setBreed(key, 'Manx');

    const moved = (await createCategory(petstore.staff)).id;
    const writes: [method: string, path: string, body: object][] = [
      ['PATCH', `/pets/${pet.id}`, { name: 'Kit' }],
      ['PUT', `/pets/${pet.id}`, { name: 'Kit', categoryId: moved, status: 'sold' }],
      ['PUT', `/store/inventory/${pet.id}`, { quantity: 3 }],
      ['PUT', `/pets/categories/${pet.categoryId}`, { name: 'Dogs' }],
      ['PATCH', `/store/orders/${order.id}`, { shipDate: '2027-01-04T09:00:00Z' }],
      ['PATCH', `/store/orders/${order.id}`, { complete: true }],
    ];
    for (const [method, path, body] of writes)
      expect((await petstore.staff(method, path, { body })).status, `${method} ${path}`).toBe(200);
    for (const key of keys) expect((await getItem(key))?.projected, key.pk).toEqual({ breed: 'Manx' });
  });
});

import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
let count = 0;
const newKey = () => `key-${count++}`;
const withKey = (key: string, body: unknown) => ({ body, headers: { 'Idempotency-Key': key } });

describe('Idempotency-Key', () => {
  it('returns the first status, body, Location and ETag for a retried creation', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const pet = await stockedPet(petstore.staff, 5);
    const creations: [string, object][] = [
      ['/pets/categories', { name: 'Cats' }],
      ['/pets', { name: 'Tom', categoryId }],
      ['/store/orders', { petId: pet.id, quantity: 2, shipDate: '2027-01-01T00:00:00+01:00' }],
    ];
    for (const [path, body] of creations) {
      const key = newKey();
      const first = await petstore.staff('POST', path, withKey(key, body));
      const again = await petstore.staff('POST', path, withKey(`"${key}"`, body));
      const picked = ({ status, body: created, headers }: typeof first) => [
        status,
        created,
        headers.get('Location'),
        headers.get('ETag'),
      ];
      expect(picked(again)).toEqual(picked(first));
      expect([first.headers.get('Idempotent-Replayed'), again.headers.get('Idempotent-Replayed')]).toEqual([
        null,
        'true',
      ]);
    }
    expect((await petstore.staff('GET', `/store/inventory/${pet.id}`)).body.quantity).toBe(3);
  });

  it('replays an order that was canceled in the meantime', async () => {
    const pet = await stockedPet(petstore.staff, 1);
    const key = newKey();
    const first = await petstore.shop('POST', '/store/orders', withKey(key, { petId: pet.id }));
    await petstore.shop('DELETE', `/store/orders/${first.body.id}`);
    const again = await petstore.shop('POST', '/store/orders', withKey(key, { petId: pet.id }));
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await petstore.staff('GET', `/store/inventory/${pet.id}`)).body.quantity).toBe(1);
  });

  it('compares validated bodies, with their defaults', async () => {
    const pet = await stockedPet(petstore.staff, 9);
    const key = newKey();
    const first = await petstore.shop('POST', '/store/orders', withKey(key, { petId: pet.id }));
    const same = await petstore.shop(
      'POST',
      '/store/orders',
      withKey(key, `{ "complete": false, "quantity": 1.0, "petId": ${pet.id} }`),
    );
    expect([same.status, same.body]).toEqual([201, first.body]);
    expectError(
      await petstore.shop('POST', '/store/orders', withKey(key, { petId: pet.id, quantity: 2 })),
      422,
      'idempotency_key_reused',
    );
  });

  it('replays for an absent status and for the default status, available', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const key = newKey();
    const first = await petstore.staff('POST', '/pets', withKey(key, { name: 'Tom', categoryId }));
    const same = await petstore.staff('POST', '/pets', withKey(key, { name: ' Tom', categoryId, status: 'available' }));
    expect([same.status, same.body, same.headers.get('Idempotent-Replayed')]).toEqual([201, first.body, 'true']);
    const held = withKey(key, { name: 'Tom', categoryId, status: 'pending' });
    expectError(await petstore.staff('POST', '/pets', held), 422, 'idempotency_key_reused');
  });

  it('replays a PUT whose body repeats the id of its path, or omits it', async () => {
    const { id, categoryId } = await stockedPet(petstore.staff, 1);
    const key = newKey();
    const first = await petstore.staff('PUT', `/pets/${id}`, withKey(key, { id, name: 'Tom', categoryId }));
    const same = await petstore.staff('PUT', `/pets/${id}`, withKey(key, { name: 'Tom', categoryId }));
    expect([same.status, same.body, same.headers.get('Idempotent-Replayed')]).toEqual([200, first.body, 'true']);
  });

  it('applies to one client and one operation', async () => {
    const pet = await stockedPet(petstore.staff, 9);
    const key = newKey();
    const ids = [
      (await petstore.shop('POST', '/store/orders', withKey(key, { petId: pet.id }))).body.id,
      (await petstore.rival('POST', '/store/orders', withKey(key, { petId: pet.id }))).body.id,
      (await petstore.staff('POST', '/pets/categories', withKey(key, { name: 'Cats' }))).body.id,
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it('does not record an error: the same key can be used after a 409', async () => {
    const pet = await stockedPet(petstore.staff, 1);
    const key = newKey();
    const order = withKey(key, { petId: pet.id, quantity: 2 });
    expectError(await petstore.shop('POST', '/store/orders', order), 409, 'insufficient_stock');
    await petstore.staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 2 } });
    expect((await petstore.shop('POST', '/store/orders', order)).status).toBe(201);
  });

  it('replays a created pet after its category was deleted', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const request = withKey(newKey(), { name: 'Tom', categoryId });
    const first = await petstore.staff('POST', '/pets', request);
    await petstore.staff('DELETE', `/pets/${first.body.id}`);
    await petstore.staff('DELETE', `/pets/categories/${categoryId}`);
    const again = await petstore.staff('POST', '/pets', request);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = withKey(request.headers['Idempotency-Key'], { name: 'Kit', categoryId });
    expectError(await petstore.staff('POST', '/pets', other), 422, 'idempotency_key_reused');
  });

  it('executes one of parallel duplicates, and replays it to the others', async () => {
    const pet = await stockedPet(petstore.staff, 100);
    const request = withKey(newKey(), { petId: pet.id, quantity: 3 });
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => petstore.shop('POST', '/store/orders', request)),
    );
    expect(new Set(responses.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('Idempotent-Replayed') === null).length).toBe(1);
    expect((await petstore.staff('GET', `/store/inventory/${pet.id}`)).body.quantity).toBe(97);
  });

  it('executes one of parallel requests with different bodies, and returns 422 to the others', async () => {
    const pet = await stockedPet(petstore.staff, 100);
    const key = newKey();
    const responses = await Promise.all(
      [1, 2, 3, 4].map(quantity => petstore.shop('POST', '/store/orders', withKey(key, { petId: pet.id, quantity }))),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  });

  it('expires after 24 hours, also when DynamoDB has not deleted its record yet', async () => {
    const key = newKey();
    const first = await petstore.staff('POST', '/pets/categories', withKey(key, { name: 'Cats' }));
    const client = connect(inject('endpoint'));
    const { Items = [] } = await client.send(new ScanCommand({ TableName: petstore.tableName }));
    const record = Items.find(({ result }) => result?.M?.id?.N === String(first.body.id))!;
    const names = ['clientId', 'expiresAt', 'ownerId', 'pk', 'requestDigest', 'result', 'sk', 'writeCount'];
    expect(Object.keys(record).sort(), 'stored records keep the names of their attributes').toEqual(names);
    const lifetime = Number(record.expiresAt!.N) - Date.now() / 1000;
    expect(Math.abs(lifetime - 24 * 60 * 60)).toBeLessThan(60);
    const past = String(Math.floor(Date.now() / 1000) - 1);
    await client.send(
      new PutItemCommand({ TableName: petstore.tableName, Item: { ...record, expiresAt: { N: past } } }),
    );
    const again = await petstore.staff('POST', '/pets/categories', withKey(key, { name: 'Dogs' }));
    expect([again.status, again.body.name, again.headers.get('Idempotent-Replayed')]).toEqual([201, 'Dogs', null]);
    const replayed = await petstore.staff('POST', '/pets/categories', withKey(key, { name: 'Dogs' }));
    expect([replayed.body.id, replayed.headers.get('Idempotent-Replayed')]).toEqual([again.body.id, 'true']);
  });

  it('is optional: without it, two equal requests create two pets', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    expect((await createPet(petstore.staff, categoryId)).id).not.toBe((await createPet(petstore.staff, categoryId)).id);
  });

  it.each(['', '"', '"a', 'é', 'k'.repeat(256), `"${'k'.repeat(256)}"`, '""', '"a\\b"'])(
    'returns 400 for %j',
    async key => {
      const headers = { 'Idempotency-Key': key };
      const response = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' }, headers });
      expectError(response, 400, 'invalid_request', /^header\.Idempotency-Key: expected one key/);
    },
  );
});

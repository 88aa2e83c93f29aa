import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { expectError } from '../support/expect-error.ts';
import { stockedPet } from '../support/fixtures.ts';
import { type ApiResponse, usePetstore } from '../support/petstore.ts';

/** What the interleavings and the matrix of operations do not show: equal bodies, owners, and the stored record. */

const petstore = usePetstore();
let count = 0;
const newKey = () => `key-${count++}`;
const withKey = (key: string, body: unknown) => ({ body, headers: { 'Idempotency-Key': key } });
const isReplayed = ({ headers }: ApiResponse) => headers.get('Idempotent-Replayed') === 'true';

describe('an Idempotency-Key', () => {
  type Bodies = (pet: { id: number; categoryId: number }) => readonly [first: object, same: unknown, other: object];
  it.each<[string, method: string, path: string, bodies: Bodies]>([
    [
      'the defaults of an order',
      ...(['POST', '/store/orders'] as const),
      ({ id: petId }) => [
        { petId },
        `{ "complete": false, "quantity": 1.0, "petId": ${petId} }`,
        { petId, quantity: 2 },
      ],
    ],
    [
      'the default status',
      ...(['POST', '/pets'] as const),
      ({ categoryId }) => {
        const pet = { name: 'Tom', categoryId };
        return [pet, { ...pet, name: ' Tom', status: 'available' }, { ...pet, status: 'pending' }];
      },
    ],
    [
      'the id of the path',
      ...(['PUT', '/pets/'] as const),
      ({ id, categoryId }) => {
        const pet = { name: 'Tom', categoryId };
        return [{ ...pet, id }, pet, { ...pet, name: 'Kit' }];
      },
    ],
  ])('has the same request with and without %s, and no other', async (_, method, path, bodiesOf) => {
    const pet = await stockedPet(petstore.staff, 9);
    const [key, bodies] = [newKey(), bodiesOf(pet)];
    const to = path.endsWith('/') ? path + pet.id : path;
    const first = await petstore.staff(method, to, withKey(key, bodies[0]));
    const same = await petstore.staff(method, to, withKey(`"${key}"`, bodies[1]));
    expect([same.status, same.body, isReplayed(first), isReplayed(same)]).toEqual([
      first.status,
      first.body,
      false,
      true,
    ]);
    expectError(await petstore.staff(method, to, withKey(key, bodies[2])), 422, 'idempotency_key_reused');
  });

  it('belongs to one owner and one operation', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 9);
    const key = newKey();
    const ids = [
      (await petstore.shop('POST', '/store/orders', withKey(key, { petId }))).body.id,
      (await petstore.rival('POST', '/store/orders', withKey(key, { petId }))).body.id,
      (await petstore.staff('POST', '/pets/categories', withKey(key, { name: 'Cats' }))).body.id,
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    ['one body', [3, 3, 3, 3], [201, 201, 201, 201]],
    ['different bodies', [1, 2, 3, 4], [201, 422, 422, 422]],
  ])('executes one of parallel requests with %s', async (_, quantities, statuses) => {
    const { id: petId } = await stockedPet(petstore.staff, 100);
    const key = newKey();
    const order = (quantity: number) => petstore.shop('POST', '/store/orders', withKey(key, { petId, quantity }));
    const responses = await Promise.all(quantities.map(order));
    expect(responses.map(({ status }) => status).sort()).toEqual(statuses);
    const created = responses.filter(({ status }) => status === 201);
    expect([
      created.filter(response => !isReplayed(response)).length,
      new Set(created.map(({ text }) => text)).size,
    ]).toEqual([1, 1]);
    const { body } = await petstore.staff('GET', `/store/inventory/${petId}`);
    expect(body.quantity).toBe(100 - created[0]!.body.quantity);
  });

  it('expires after 24 hours, also when DynamoDB has not deleted its record yet', async () => {
    const key = newKey();
    const create = (name: string) => petstore.staff('POST', '/pets/categories', withKey(key, { name }));
    const first = await create('Cats');
    const client = connect(inject('endpoint'));
    const { Items = [] } = await client.send(new ScanCommand({ TableName: petstore.tableName }));
    const record = Items.find(({ result }) => result?.M?.id?.N === String(first.body.id))!;
    const names = ['clientId', 'expiresAt', 'ownerId', 'pk', 'requestDigest', 'result', 'sk', 'writeCount'];
    expect(Object.keys(record).sort(), 'stored records keep the names of their attributes').toEqual(names);
    const lifetime = Number(record.expiresAt!.N) - Date.now() / 1000;
    expect(Math.abs(lifetime - 24 * 60 * 60)).toBeLessThan(60);
    const Item = { ...record, expiresAt: { N: String(Math.floor(Date.now() / 1000) - 1) } };
    await client.send(new PutItemCommand({ TableName: petstore.tableName, Item }));
    const [again, replayed] = [await create('Dogs'), await create('Dogs')];
    expect([again.status, again.body.name, isReplayed(again)]).toEqual([201, 'Dogs', false]);
    expect([replayed.body.id, isReplayed(replayed)]).toEqual([again.body.id, true]);
  });

  it.each(['', 'é', 'k'.repeat(256), 'valid'])('is ignored on a GET, also when it is “%s”', async key => {
    const headers = { 'Idempotency-Key': key };
    expect((await petstore.anonymous('GET', '/pets', { headers })).status).toBe(200);
  });
});

import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, it } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { stockedPet } from '../support/fixtures.ts';
import { type ApiResponse, clientOf, usePetstore } from '../support/petstore.ts';

/** What the interleavings and operations.test.ts do not show: which bodies are equal, and what a record contains. */

const petstore = usePetstore();
const withKey = (key: string, body: unknown) => ({ body, headers: { 'Idempotency-Key': key } });
const isReplayed = ({ headers }: ApiResponse) => headers.get('Idempotent-Replayed') === 'true';

it('a request is the same with a quoted key, with its defaults, and with the same instant', async () => {
  const { id } = await stockedPet(petstore.staff, 9);
  const place = (key: string, body: unknown) =>
    petstore.staff('POST', '/store/orders', withKey(key, body));
  const first = await place('defaults', { petId: id, shipDate: '2027-01-04T09:00:00Z' });
  const order = `"complete": false, "quantity": 1.0, "petId": ${id}, "shipDate": "2027-01-04`;
  for (const time of ['T09:00:00.000Z', 't10:00:00+01:00']) {
    const same = await place('"defaults"', `{ ${order}${time}" }`);
    expect([same.status, isReplayed(same), same.body]).toEqual([201, true, first.body]);
  }
  expect([isReplayed(first), first.body.shipDate]).toEqual([false, '2027-01-04T09:00:00Z']);
});

it('an empty If-None-Match is no condition, also with a key', async () => {
  // This client does not validate requests.
  const staff = clientOf(petstore.url, await petstore.token('staff'));
  const { id } = await stockedPet(petstore.staff, 1);
  const patch = (headers?: Record<string, string>) =>
    staff('PATCH', `/pets/${id}`, {
      body: { name: 'Leo' },
      headers: { 'Idempotency-Key': 'empty', ...headers },
    });
  const first = await patch({ 'If-None-Match': ' , ' });
  expect([first.status, isReplayed(first)]).toEqual([200, false]);
  for (const headers of [undefined, { 'If-None-Match': '' }])
    expect(isReplayed(await patch(headers))).toBe(true);
  expect((await patch({ 'If-None-Match': '*' })).status).toBe(422);
  const read = await staff('GET', `/pets?id=${id}`, { headers: { 'If-None-Match': '' } });
  expect([read.status, read.body]).toEqual([200, [first.body]]);
});

it('a key expires after 24 hours, also when DynamoDB has not deleted its record yet', async () => {
  const create = (name: string) =>
    petstore.staff('POST', '/pets/categories', withKey('a day ago', { name }));
  const first = await create('Cats');
  const client = connect(inject('endpoint'));
  const { Items = [] } = await client.send(new ScanCommand({ TableName: petstore.tableName }));
  const record = Items.find(({ result }) => result?.M?.id?.N === String(first.body.id))!;
  const names = [
    'clientId',
    'expiresAt',
    'ownerId',
    'pk',
    'requestDigest',
    'result',
    'sk',
    'writeCount',
  ];
  expect(Object.keys(record).sort(), 'stored records keep the names of their attributes').toEqual(
    names,
  );
  const lifetime = Number(record.expiresAt!.N) - Date.now() / 1000;
  expect(Math.abs(lifetime - 24 * 60 * 60)).toBeLessThan(60);
  const Item = { ...record, expiresAt: { N: String(Math.floor(Date.now() / 1000) - 1) } };
  await client.send(new PutItemCommand({ TableName: petstore.tableName, Item }));
  const [again, replayed] = [await create('Dogs'), await create('Dogs')];
  expect([again.status, again.body.name, isReplayed(again)]).toEqual([201, 'Dogs', false]);
  expect([replayed.body.id, isReplayed(replayed)]).toEqual([again.body.id, true]);
});

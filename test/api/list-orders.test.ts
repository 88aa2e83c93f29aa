import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { createdAt } from '../../lib/model/table/id.ts';
import { expectError } from '../support/expect-error.ts';
import { stockedPet } from '../support/fixtures.ts';
import { type Client, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const get = (query: string, client = petstore.staff) => client('GET', `/store/orders?${query}`);
const complete = async (id: number) =>
  (await petstore.staff('PATCH', `/store/orders/${id}`, { body: { complete: true } })).body;

/** Newest first: an open and a complete order of `shop`, one of `rival`, and one of `shop` for another pet. */
const orders: { id: number; petId: number; complete: boolean }[] = [];
const petOf = () => orders[0]!.petId;
/** @param end replaces Z, such as a fraction of a millisecond or another zone */
const timeOf = (index: number, end = 'Z') =>
  new Date(createdAt(orders[index]!.id)).toISOString().replace('Z', end);
const otherZone = '%2B00:00';

beforeAll(async () => {
  const { id } = await stockedPet(petstore.staff, 9);
  const other = await stockedPet(petstore.staff, 9);
  const place = async (client: Client, petId: number) => {
    orders.unshift((await client('POST', '/store/orders', { body: { petId } })).body);
    // Each order needs its own millisecond.
    await sleep(2);
  };
  await place(petstore.shop, other.id);
  await place(petstore.rival, id);
  await place(petstore.shop, id);
  await place(petstore.shop, id);
  orders[1] = await complete(orders[1]!.id);
});

describe('a list of orders', () => {
  it.each<['shop' | 'rival' | 'staff', () => string, number[]]>([
    ['shop', () => '', [0, 1, 3]],
    ['shop', () => 'complete=true', [1]],
    ['staff', () => '', [0, 1, 2, 3]],
    ['staff', () => 'complete=false', [0, 2, 3]],
    ['staff', () => `petId=${petOf()}`, [0, 1, 2]],
    ['staff', () => `petId=${petOf()}&complete=false`, [0, 2]],
    ['staff', () => 'petId=9007199254740993', []],
    ['staff', () => `placedFrom=${timeOf(1)}`, [0, 1]],
    ['staff', () => `placedBefore=${timeOf(1)}`, [2, 3]],
    ['staff', () => `placedFrom=${timeOf(2)}&placedBefore=${timeOf(0)}`, [1, 2]],
    ['staff', () => `placedFrom=${timeOf(1, '0001Z')}`, [0]],
    ['staff', () => `placedBefore=${timeOf(1, '0001Z')}`, [1, 2, 3]],
    ['staff', () => `placedFrom=${timeOf(1, otherZone)}`, [0, 1]],
    ['staff', () => 'placedFrom=0001-01-01T00:00:00Z', [0, 1, 2, 3]],
    ['staff', () => 'placedBefore=9999-12-31T23:59:59.9999Z', [0, 1, 2, 3]],
    ['shop', () => `complete=false&placedFrom=${timeOf(2)}`, [0]],
    ['staff', () => `petId=${petOf()}&complete=false&placedFrom=${timeOf(1)}`, [0]],
  ])('for %s, %s', async (client, query, expected) => {
    const { body } = await get(query(), petstore[client]);
    const known = body.filter(({ id }: { id: number }) => orders.some(order => order.id === id));
    expect(known).toEqual(expected.map(index => orders[index]));
  });

  it.each<[string, () => string]>([
    ['before 2025', () => 'placedBefore=2024-12-31T23:59:59Z'],
    ['in the year 9999', () => 'placedFrom=9999-01-01T00:00:00Z'],
    [
      'that is empty only after rounding',
      () => `placedFrom=${timeOf(1, '0001Z')}&placedBefore=${timeOf(1, '0002Z')}`,
    ],
  ])('of a time %s is empty, without a query', async (_, query) => {
    petstore.proxy.responses.length = 0;
    expect((await get(query())).body).toEqual([]);
    expect(petstore.proxy.responses).toEqual([]);
  });

  it('of a time has ids up to the last one of the millisecond before', async () => {
    petstore.proxy.responses.length = 0;
    await get(`placedBefore=${timeOf(1)}`);
    const last = Number(
      petstore.proxy.responses[0]!.call.body.ExpressionAttributeValues[':last'].N,
    );
    const time = createdAt(orders[1]!.id);
    expect([last, last + 1].map(createdAt)).toEqual([time - 1, time]);
  });

  it('of a time has a Link with the same time, and a cursor for this time alone', async () => {
    const span = `placedFrom=${timeOf(3, otherZone)}&placedBefore=${timeOf(0)}`;
    const page = await get(`${span}&limit=2`);
    const link = nextPageOf(page.headers)!;
    const next = await petstore.staff('GET', link);
    expect([...page.body, ...next.body]).toEqual(orders.slice(1));
    expect(nextPageOf(next.headers)).toBeUndefined();
    const cursor = new URL(link).searchParams.get('cursor');
    const inUtc = `placedFrom=${timeOf(3)}&placedBefore=${timeOf(0)}`;
    expect((await get(`${inUtc}&limit=2&cursor=${cursor}`)).body).toEqual(next.body);
    for (const other of ['', `placedFrom=${timeOf(2)}&`])
      expectError(await get(`${other}cursor=${cursor}`), 400, 'invalid_cursor');
  });

  it('for a pet needs the scope orders.manage; an invalid id is 400 for everybody', async () => {
    const message = 'query.petId needs the scope petstore/orders.manage';
    expectError(await get('petId=1', petstore.shop), 403, 'forbidden', message);
    for (const client of [petstore.shop, petstore.staff])
      expectError(await get('petId=abc', client), 400, 'invalid_request');
  });

  it('of an empty time, or with a “+” that is not encoded, is 400', async () => {
    for (const [query, message] of [
      [
        `placedFrom=${timeOf(1)}&placedBefore=${timeOf(1, otherZone)}`,
        'query.placedFrom: expected a time before placedBefore',
      ],
      ['placedBefore=2027-01-01T00:00:00+01:00', /^query.placedBefore: .* \(write \+ as %2B\)$/],
    ] as const)
      expectError(await get(query), 400, 'invalid_request', message);
  });
});

it('409 pet_has_open_orders names the list of these orders; the complete ones are listed after the deletion', async () => {
  const { id } = await stockedPet(petstore.staff, 1);
  const { body: order } = await petstore.rival('POST', '/store/orders', { body: { petId: id } });
  const rejected = await petstore.staff('DELETE', `/pets/${id}`);
  expectError(rejected, 409, 'pet_has_open_orders');
  const [path, query] = /\/store\/orders\?(\S+)/.exec(rejected.body.message)!;
  expect([query, (await petstore.staff('GET', path)).body]).toEqual([
    `petId=${id}&complete=false`,
    [order],
  ]);
  const completed = await complete(order.id);
  expect((await petstore.staff('DELETE', `/pets/${id}`)).status).toBe(204);
  expect((await get(`petId=${id}`)).body).toEqual([completed]);
});

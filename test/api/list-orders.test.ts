import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { createdAt } from '../../lib/model/table/id.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { type Client, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

interface Placed {
  readonly id: number;
  readonly petId: number;
}

const place = async (client: Client, petId: number): Promise<Placed> =>
  (await client('POST', '/store/orders', { body: { petId } })).body;
const complete = ({ id }: Placed) => petstore.staff('PATCH', `/store/orders/${id}`, { body: { complete: true } });

const list = async (query: string, client = petstore.staff) => {
  const { status, body } = await client('GET', `/store/orders?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as Placed[]).map(({ id }) => id);
};

describe('the orders for a pet', () => {
  it('are those of all owners, newest first, and can be filtered by state', async () => {
    const pet = await stockedPet(petstore.staff, 9);
    const other = await stockedPet(petstore.staff, 9);
    const first = await place(petstore.shop, pet.id);
    await place(petstore.shop, other.id);
    const second = await place(petstore.rival, pet.id);
    await complete(first);
    expect(await list(`petId=${pet.id}`)).toEqual([second.id, first.id]);
    expect(await list(`petId=${pet.id}&complete=false`)).toEqual([second.id]);
    expect(await list(`petId=${pet.id}&complete=true`)).toEqual([first.id]);
    const page = await petstore.staff('GET', `/store/orders?petId=${pet.id}&limit=1`);
    const next = await petstore.staff('GET', nextPageOf(page.headers)!);
    expect([page.body[0].id, next.body[0].id, nextPageOf(next.headers)]).toEqual([second.id, first.id, undefined]);
  });

  it('are found from the message of 409 pet_has_open_orders, and the complete ones after the pet is deleted', async () => {
    const pet = await createPet(petstore.staff, (await createCategory(petstore.staff)).id);
    const order = await place(petstore.shop, pet.id);
    const rejected = await petstore.staff('DELETE', `/pets/${pet.id}`);
    expectError(rejected, 409, 'pet_has_open_orders');
    const [, query] = /GET \/store\/orders\?(\S+)/.exec(rejected.body.message)!;
    expect(query).toBe(`petId=${pet.id}&complete=false`);
    expect(await list(query!)).toEqual([order.id]);
    await complete(order);
    expect((await petstore.staff('DELETE', `/pets/${pet.id}`)).status).toBe(204);
    expect(await list(`petId=${pet.id}`)).toEqual([order.id]);
  });

  it('of an unknown pet are none', async () => {
    expect(await list('petId=4095')).toEqual([]);
    expect(await list('petId=9007199254740993')).toEqual([]);
  });

  it('need the scope orders.manage; an invalid id is 400 for everybody', async () => {
    const response = await petstore.shop('GET', '/store/orders?petId=1');
    expectError(response, 403, 'forbidden');
    expect(response.body.message).toBe('query.petId needs the scope petstore/orders.manage');
    for (const client of [petstore.shop, petstore.staff])
      expectError(await client('GET', '/store/orders?petId=abc'), 400, 'invalid_request');
  });
});

describe('the orders of a time', () => {
  const ids: number[] = [];
  let petId: number;
  /** The time of an order, with a fraction of a millisecond. */
  const timeOf = (index: number, fraction = '') =>
    new Date(createdAt(ids[index]!)).toISOString().replace('Z', `${fraction}Z`);

  beforeAll(async () => {
    petId = (await stockedPet(petstore.staff, 9)).id;
    while (ids.length < 4) {
      const { id } = await place(petstore.shop, petId);
      ids.unshift(id);
      // Each order has a millisecond of its own.
      await sleep(2);
    }
    await complete({ id: ids[1]!, petId });
  });

  it.each<[string, () => string, number[]]>([
    ['placedFrom is inclusive', () => `placedFrom=${timeOf(1)}`, [0, 1]],
    ['placedBefore is exclusive', () => `placedBefore=${timeOf(1)}`, [2, 3]],
    ['both', () => `placedFrom=${timeOf(2)}&placedBefore=${timeOf(0)}`, [1, 2]],
    ['a fraction of a millisecond later', () => `placedFrom=${timeOf(1, '0001')}`, [0]],
    ['before a fraction of a millisecond later', () => `placedBefore=${timeOf(1, '0001')}`, [1, 2, 3]],
    ['with zeros after the milliseconds', () => `placedFrom=${timeOf(1, '000')}`, [0, 1]],
    ['with an offset', () => `placedFrom=${timeOf(1).replace('Z', '%2B00:00')}`, [0, 1]],
    ['in lower case', () => `placedFrom=${timeOf(1).toLowerCase()}`, [0, 1]],
    ['from before 2025', () => 'placedFrom=0000-01-01T00:00:00Z', [0, 1, 2, 3]],
    ['before the year 10000', () => 'placedBefore=9999-12-31T23:59:59.9999Z', [0, 1, 2, 3]],
    ['and of a state', () => `complete=false&placedFrom=${timeOf(2)}`, [0, 2]],
    ['and for a pet', () => `petId=${petId}&placedFrom=${timeOf(2)}`, [0, 1, 2]],
    ['and of a state for a pet', () => `petId=${petId}&complete=true&placedFrom=${timeOf(2)}`, [1]],
  ])('%s', async (_, query, expected) => {
    const owners = query().includes('petId') ? [petstore.staff] : [petstore.shop, petstore.staff];
    for (const client of owners)
      expect((await list(query(), client)).filter(id => ids.includes(id))).toEqual(expected.map(index => ids[index]));
  });

  it.each<[string, () => string]>([
    ['before 2025', () => 'placedBefore=2024-12-31T23:59:59Z'],
    ['in the year 9999', () => 'placedFrom=9999-01-01T00:00:00Z'],
    ['that is empty only after rounding', () => `placedFrom=${timeOf(1, '0001')}&placedBefore=${timeOf(1, '0002')}`],
  ])('are none for a time %s, without a query', async (_, query) => {
    petstore.proxy.responses.length = 0;
    expect(await list(query())).toEqual([]);
    expect(petstore.proxy.responses).toEqual([]);
  });

  it('have ids up to the last one of the millisecond before', async () => {
    petstore.proxy.responses.length = 0;
    await list(`placedBefore=${timeOf(1)}`);
    const [{ call }] = petstore.proxy.responses as [(typeof petstore.proxy.responses)[number]];
    const last = Number(call.body.ExpressionAttributeValues[':last'].N);
    expect([createdAt(last), createdAt(last + 1)]).toEqual([createdAt(ids[1]!) - 1, createdAt(ids[1]!)]);
  });

  it('have a Link with the same time, and a cursor for this time alone', async () => {
    const span = `placedFrom=${timeOf(3).replace('Z', '%2B00:00')}&placedBefore=${timeOf(0)}`;
    const page = await petstore.shop('GET', `/store/orders?${span}&limit=2`);
    const link = nextPageOf(page.headers)!;
    expect(new URL(link).searchParams.get('placedFrom')).toMatch(/\+00:00$/);
    const next = await petstore.shop('GET', link);
    expect([...page.body, ...next.body].map(({ id }) => id)).toEqual(ids.slice(1));
    expect(nextPageOf(next.headers)).toBeUndefined();
    const cursor = new URL(link).searchParams.get('cursor');
    for (const other of ['', `placedFrom=${timeOf(2)}&`])
      expectError(await petstore.shop('GET', `/store/orders?${other}cursor=${cursor}`), 400, 'invalid_cursor');
  });

  it.each([
    [
      'placedFrom=2027-01-01T00:00:00Z&placedBefore=2027-01-01T01:00:00%2B01:00',
      'query.placedFrom: expected a time before placedBefore',
    ],
    [
      'placedFrom=2027-01-01T00:00:00.02Z&placedBefore=2027-01-01T00:00:00.0199Z',
      'query.placedFrom: expected a time before placedBefore',
    ],
    [
      'placedFrom=2027-01-01T00:00:00+01:00',
      'query.placedFrom: expected an RFC 3339 date-time with an offset or Z, and no leap second (write + as %2B)',
    ],
    [
      'placedBefore=2027-01-01',
      'query.placedBefore: expected an RFC 3339 date-time with an offset or Z, and no leap second (write + as %2B)',
    ],
  ])('%s is 400', async (query, message) => {
    const response = await petstore.shop('GET', `/store/orders?${query}`);
    expectError(response, 400, 'invalid_request');
    expect(response.body.message).toBe(message);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { type Client, startPetstore, synthesizeShared, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

/** Follows Link from page to page. */
const getAllPages = async (client: Client, path: string) => {
  const pages: { id: number }[][] = [];
  for (let next: string | undefined = path; next; ) {
    const response = await client('GET', next);
    expect(response.status, response.text).toBe(200);
    pages.push(response.body);
    next = nextPageOf(response.headers);
  }
  return pages;
};

const newestFirst = <T extends { id: number }>(items: readonly T[]) => items.toSorted((a, b) => b.id - a.id);
const list = async (query: string) => (await petstore.anonymous('GET', `/pets?${query}`)).body;

/** Pets of a new category, newest first. */
const petsOf = async (...statuses: string[]) => {
  const { id: categoryId } = await createCategory(petstore.staff);
  const pets = await Promise.all(statuses.map(status => createPet(petstore.staff, categoryId, { status })));
  return { categoryId, pets: newestFirst(pets) };
};

describe('a page', () => {
  it('has the newest items first and is full, except for the last page, which has no Link', async () => {
    const { categoryId, pets } = await petsOf(...Array.from({ length: 7 }, () => 'available'));
    const pages = await getAllPages(petstore.anonymous, `/pets?categoryId=${categoryId}&limit=3`);
    expect(pages).toEqual([pets.slice(0, 3), pets.slice(3, 6), pets.slice(6)]);
    const exact = await petstore.anonymous('GET', `/pets?categoryId=${categoryId}&limit=7`);
    expect([exact.body, exact.headers.get('Link')]).toEqual([pets, null]);
  });

  it('has 20 items by default, and reads one more', async () => {
    const { categoryId } = await petsOf(...Array.from({ length: 22 }, () => 'available'));
    petstore.proxy.responses.length = 0;
    expect(await list(`categoryId=${categoryId}`)).toHaveLength(20);
    expect(petstore.proxy.responses.map(({ body }) => body.Items.length)).toEqual([21]);
  });

  it('is full however sparse the matches are', async () => {
    const { categoryId, pets } = await petsOf('sold', 'available', 'pending', 'sold', 'available', 'pending');
    await petsOf('sold', 'pending');
    const response = await petstore.anonymous(
      'GET',
      `/pets?categoryId=${categoryId}&status=sold&status=pending&limit=4`,
    );
    expect(response.body).toEqual(pets.filter(({ status }) => status !== 'available'));
    expect(nextPageOf(response.headers)).toBeUndefined();
  });

  it('of pets can be filtered by some statuses, or by all, which reads one index', async () => {
    const { pets } = await petsOf('sold', 'pending', 'available');
    const inStatus = (status: string) => pets.find(pet => pet.status === status)!;
    expect(await list('status=sold&limit=1')).toEqual([inStatus('sold')]);
    const both = newestFirst([inStatus('sold'), inStatus('pending')]);
    expect(await list('status=sold&status=pending&limit=2')).toEqual(both);
    petstore.proxy.responses.length = 0;
    expect(await list('status=sold&status=pending&status=available&limit=1')).toEqual(await list('limit=1'));
    // A change of status would otherwise hide a pet from a request of all pages.
    const indexes = petstore.proxy.responses.map(({ call }) => call.body.IndexName);
    expect([indexes.length, new Set(indexes).size]).toEqual([2, 1]);
  });

  it('of an unknown category is empty', async () => {
    expect(await list('categoryId=4095')).toEqual([]);
  });

  it('has a Link with the same filters', async () => {
    const { categoryId } = await petsOf('available', 'sold');
    const path = `/pets?status=available&status=sold&categoryId=${categoryId}&limit=1`;
    const next = new URL(nextPageOf((await petstore.anonymous('GET', path)).headers)!);
    next.searchParams.delete('cursor');
    expect(next.href).toBe(petstore.url + path);
  });

  it('of stock has the status and quantity of each pet, and can be filtered by statuses', async () => {
    const pets = [
      await stockedPet(petstore.staff, 7),
      await stockedPet(petstore.staff, 0),
      await stockedPet(petstore.staff, 9),
    ];
    const [first, second, third] = newestFirst(pets).map(({ id: petId }) => {
      const quantity = [7, 0, 9][pets.findIndex(({ id }) => id === petId)]!;
      return { petId, quantity, status: quantity > 0 ? 'available' : 'sold' };
    });
    const stock = async (query: string) => petstore.staff('GET', `/store/inventory?${query}`);
    expect((await stock('limit=3')).body).toEqual([first, second, third]);
    expect((await stock('limit=1&status=sold')).body).toEqual([second]);
    const page = await stock('limit=1&status=available');
    expect([page.body, (await petstore.staff('GET', nextPageOf(page.headers)!)).body]).toEqual([[first], [third]]);
    expect((await stock('status=sold&status=available&status=sold&limit=3')).body).toEqual([first, second, third]);
  });
});

describe('index shards', () => {
  it('can increase: a list has the pets that were written before and after', async () => {
    const { categoryId, pets } = await petsOf('available', 'available', 'available', 'available');
    const sharded = await startPetstore({ tableName: petstore.tableName, environment: { INDEX_SHARDS: '3' } });
    pets.push(...(await Promise.all(Array.from({ length: 8 }, () => createPet(sharded.staff, categoryId)))));
    const moved = (await sharded.staff('PATCH', `/pets/${pets[0]!.id}`, { body: { status: 'sold' } })).body;
    const pages = await getAllPages(sharded.anonymous, `/pets?categoryId=${categoryId}&limit=5`);
    expect(pages.flat().map(({ id }) => id)).toEqual(newestFirst(pets).map(({ id }) => id));
    expect((await sharded.anonymous('GET', `/pets?categoryId=${categoryId}&status=sold`)).body).toEqual([moved]);
    await sharded.stop();
  });

  it('that are read and not written yet have what functions of the next deployment write', async () => {
    const settings = { indexShards: { read: 4, write: 1 } };
    const assembly = await synthesizeShared({ stage: 'local', settings });
    const { tableName } = petstore;
    const [between, next] = [
      await startPetstore({ assembly, tableName }),
      await startPetstore({ tableName, environment: { INDEX_SHARDS: '4' } }),
    ];
    const { id } = await createCategory(next.staff);
    const created: { id: number }[] = [];
    while (created.every(pet => pet.id % 4 === 0)) created.push(await createPet(next.staff, id));
    expect((await between.anonymous('GET', `/pets?categoryId=${id}`)).body).toEqual(newestFirst(created));
    await Promise.all([next.stop(), between.stop()]);
  });
});

describe('a cursor', () => {
  const cursorOf = async (path: string, client = petstore.staff) =>
    new URL(nextPageOf((await client('GET', path)).headers)!).searchParams.get('cursor')!;

  it('belongs to one operation and its filters, with any limit', async () => {
    await createCategory(petstore.staff);
    const { categoryId, pets } = await petsOf('available', 'available');
    const cursor = await cursorOf(`/pets?categoryId=${categoryId}&limit=1`);
    expect(await list(`limit=50&categoryId=${categoryId}&cursor=${cursor}`)).toEqual(pets.slice(1));
    for (const path of [
      '/pets?',
      '/pets/categories?',
      `/pets?categoryId=${categoryId}&status=available&`,
      '/pets?categoryId=1&',
    ])
      expectError(await petstore.anonymous('GET', `${path}cursor=${cursor}`), 400, 'invalid_cursor');
  });

  it('belongs to one owner', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 9);
    for (const _ of [1, 2]) await petstore.shop('POST', '/store/orders', { body: { petId } });
    const cursor = await cursorOf('/store/orders?limit=1', petstore.shop);
    expect((await petstore.shop('GET', `/store/orders?limit=1&cursor=${cursor}`)).body).toHaveLength(1);
    for (const other of [petstore.rival, petstore.staff])
      expectError(await other('GET', `/store/orders?cursor=${cursor}`), 400, 'invalid_cursor');
  });

  it('that is altered or cut off returns 400 invalid_cursor', async () => {
    await Promise.all([createCategory(petstore.staff), createCategory(petstore.staff)]);
    const cursor = await cursorOf('/pets/categories?limit=1');
    const place = fc.nat(cursor.length - 1);
    const alter = (at: number) => cursor.slice(0, at) + (cursor[at] === 'a' ? 'b' : 'a') + cursor.slice(at + 1);
    const garbled = fc.oneof(
      fc.string(),
      place.map(alter),
      place.map(length => cursor.slice(0, length)),
    );
    const attempt = async (value: string) => {
      const response = await petstore.anonymous('GET', `/pets/categories?cursor=${encodeURIComponent(value)}`);
      expectError(response, 400, 'invalid_cursor');
    };
    await fc.assert(fc.asyncProperty(garbled, attempt), { numRuns: 60 });
  });
});

describe('GET /pets?id=', () => {
  it('returns the given pets that exist and match the filters, newest first', async () => {
    const { categoryId, pets } = await petsOf('sold', 'available');
    const sold = pets.filter(({ status }) => status === 'sold');
    const [{ id }, other] = [sold[0]!, pets.find(({ status }) => status === 'available')!];
    expect(await list(`id=${id},${other.id},4095&id=${other.id}`)).toEqual(pets);
    expect(await list(`id=${id},${other.id}&status=sold`)).toEqual(sold);
    expect(await list(`id=${id}&status=available`)).toEqual([]);
    expect(await list(`id=${id}&categoryId=${categoryId}`)).toEqual(sold);
    expect(await list(`id=${id}&categoryId=1`)).toEqual([]);
    expect(await list('id=9007199254740993')).toEqual([]);
  });

  it('returns the pet’s ETag when one id is given and the pet exists and matches', async () => {
    const [id, other] = (await petsOf('available', 'available')).pets.map(pet => pet.id);
    const tag = (await petstore.anonymous('GET', `/pets/${id}`)).headers.get('ETag')!;
    const get = (query: string) =>
      petstore.anonymous('GET', `/pets?id=${query}`, { headers: { 'If-None-Match': tag } });
    const unchanged = await get(`${id},${id}`);
    expect([unchanged.status, unchanged.body, unchanged.headers.get('ETag')]).toEqual([304, '', tag]);
    expect((await get(`${id},${other}`)).headers.get('ETag')).toBeNull();
    expect((await get(`${id}&status=sold`)).body).toEqual([]);
  });
});

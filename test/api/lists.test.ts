import { beforeAll, describe, expect, it } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

type Pet = Awaited<ReturnType<typeof createPet>>;
const newestFirst = (pets: readonly Pet[]) => pets.toSorted((a, b) => b.id - a.id);
const get = (path: string) => petstore.anonymous('GET', path);
const list = async (query: string) => (await get(`/pets?${query}`)).body;
const inIds = (pets: readonly Pet[]) => `id=${pets.map(({ id }) => id)}`;

/** Of a new category, newest first. */
const petsOf = async (statuses: string[]) => {
  const { id: categoryId } = await createCategory(petstore.staff);
  const creations = statuses.map(status => createPet(petstore.staff, categoryId, { status }));
  return { categoryId, pets: newestFirst(await Promise.all(creations)) };
};
const availablePets = (count: number) => petsOf(Array(count).fill('available'));

describe('a page', () => {
  it('has the newest items first and is full, except for the last page, which has no Link', async () => {
    const { categoryId, pets } = await availablePets(7);
    const pages: Pet[][] = [];
    for (let next: string | undefined = `/pets?categoryId=${categoryId}&limit=3`; next; ) {
      const { body, headers } = await get(next);
      pages.push(body);
      next = nextPageOf(headers);
    }
    expect(pages).toEqual([pets.slice(0, 3), pets.slice(3, 6), pets.slice(6)]);
    const exact = await get(`/pets?categoryId=${categoryId}&limit=7`);
    expect([exact.body, exact.headers.get('Link')]).toEqual([pets, null]);
  });

  it('has 20 items by default, and reads one more', async () => {
    const { categoryId } = await availablePets(22);
    petstore.proxy.responses.length = 0;
    expect(await list(`categoryId=${categoryId}`)).toHaveLength(20);
    expect(petstore.proxy.responses.map(({ body }) => body.Items.length)).toEqual([21]);
  });
});

describe('a filter', () => {
  /** One category has pets that are sold, available, pending and sold, another one sold pet. */
  const all: Pet[] = [];
  beforeAll(async () => {
    for (const statuses of [['sold', 'available', 'pending', 'sold'], ['sold']])
      all.push(...(await petsOf(statuses)).pets);
  });
  const someStatuses =
    'query.status: expected some of available, pending, sold, with commas between them';
  const isKnown = (id: number) => all.some(pet => pet.id === id);
  const sold = () => all.find(({ status }) => status === 'sold')!.id;
  const other = () => all[4]!.id;
  const category = () => all[0]!.categoryId;

  it.each<[query: () => string, matches: (pet: Pet) => boolean]>([
    [() => 'status=sold&status=pending', ({ status }) => status !== 'available'],
    [() => `categoryId=${category()}`, ({ id }) => id !== other()],
    [
      () => `categoryId=${category()}&status=sold&status=pending`,
      pet => pet.id !== other() && pet.status !== 'available',
    ],
    [
      () => `id=${sold()},${other()},4095&id=${other()}&limit=1`,
      ({ id }) => [sold(), other()].includes(id),
    ],
    [() => `${inIds(all)}&status=sold,pending`, ({ status }) => status !== 'available'],
    [() => `id=${sold()},${other()}&categoryId=${category()}`, ({ id }) => id === sold()],
    [() => 'id=9007199254740993', () => false],
  ])('%s selects pets, newest first', async (query, matches) => {
    const pets: Pet[] = await list(query());
    expect(pets.filter(({ id }) => isKnown(id))).toEqual(newestFirst(all.filter(matches)));
  });

  it('with all statuses reads one index: a change of status hides no pet from a request of all pages', async () => {
    petstore.proxy.responses.length = 0;
    expect(await list('status=sold&status=pending&status=available&limit=1')).toEqual(
      await list('limit=1'),
    );
    const indexes = petstore.proxy.responses.map(({ call }) => call.body.IndexName);
    expect([indexes.length, new Set(indexes).size]).toEqual([2, 1]);
  });

  it.each<[query: string, matches: (pet: Pet) => boolean]>([
    ['status=sold,pending&status=sold', ({ status }) => status !== 'available'],
    ['onHold=true', ({ status }) => status === 'pending'],
  ])(
    '%s selects the stock of pets, with the status and the quantity of each',
    async (query, matches) => {
      const { body } = await petstore.staff('GET', `/store/inventory?${query}&limit=100`);
      const expected = newestFirst(all.filter(matches)).map(({ id, status }) => ({
        petId: id,
        quantity: status === 'sold' ? 0 : 1,
        status,
      }));
      expect(body.filter(({ petId }: { petId: number }) => isKnown(petId))).toEqual(expected);
    },
  );

  it('by name selects pets in pages, or among ids, whatever the form of the name', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const zoe = `zoe ${categoryId}`;
    const pets: Pet[] = [];
    for (const name of [zoe, zoe.replace('e ', 'ë\u00a0'), 'Tom', `${zoe}s`, 'ガ'.repeat(80)])
      pets.push(await createPet(petstore.staff, categoryId, { name }));
    const body = { name: zoe.toUpperCase() };
    pets[2] = (await petstore.staff('PATCH', `/pets/${pets[2]!.id}`, { body })).body;
    const expected = newestFirst(pets.slice(0, 3));
    const first = await get(`/pets?name=${zoe}&limit=2`);
    const next = await get(nextPageOf(first.headers)!);
    expect([...first.body, ...next.body]).toEqual(expected);
    expect(await list(`name=${zoe}&${inIds(pets)}`)).toEqual(expected);
    expect(await list(`name=${encodeURIComponent('ガ'.repeat(80))}&limit=1`)).toEqual([pets[4]]);
  });

  it.each([
    ['/store/inventory?onHold=true&status=sold', 'query.onHold: cannot be combined with status'],
    ['/store/inventory?onHold=false', 'query.onHold: expected true'],
    ['/pets?status=sold,', someStatuses],
    ['/store/inventory?status=sold+pending', someStatuses],
    ['/pets?name=Tom&categoryId=1', 'query.name: cannot be combined with status or categoryId'],
    ['/pets?name=Tom&status=sold&id=1', 'query.name: cannot be combined with status or categoryId'],
    ['/pets?name=', /^query.name: expected a string of 1 to 100 characters/],
    [`/pets?name=${'x'.repeat(101)}`, /^query.name: expected a string of 1 to 100 characters/],
  ])('%s is a 400 that says why', async (path, message) => {
    expectError(await petstore.staff('GET', path), 400, 'invalid_request', message);
  });

  it('by one id returns the ETag of the pet, if it exists and matches', async () => {
    const tagOf = async (path: string) => (await get(path)).headers.get('ETag');
    expect(await tagOf(`/pets?id=${sold()},${sold()}`)).toBe(await tagOf(`/pets/${sold()}`));
    for (const query of [`${sold()},${other()}`, `${sold()}&status=pending`])
      expect(await tagOf(`/pets?id=${query}`)).toBeNull();
  });
});

it('index shards can increase: a list has the pets that were written before and after', async () => {
  const { categoryId, pets } = await availablePets(4);
  const { tableName } = petstore;
  const sharded = await startPetstore({ tableName, environment: { INDEX_SHARDS: '3' } });
  const later = Array.from({ length: 8 }, () => createPet(sharded.staff, categoryId));
  pets.push(...(await Promise.all(later)));
  const change = { body: { status: 'sold' } };
  const { body: moved } = await sharded.staff('PATCH', `/pets/${pets[0]!.id}`, change);
  const path = `/pets?categoryId=${categoryId}`;
  const { body, headers } = await sharded.anonymous('GET', `${path}&limit=5`);
  const next = nextPageOf(headers)!.replace('limit=5', 'limit=7');
  const { body: rest } = await sharded.anonymous('GET', next);
  expect(inIds([...body, ...rest])).toBe(inIds(newestFirst(pets)));
  expect((await sharded.anonymous('GET', `${path}&status=sold`)).body).toEqual([moved]);
  await sharded.stop();
});

describe('a cursor', () => {
  const cursorOf = async (path: string) => {
    const { headers } = await get(`${path}limit=1`);
    return new URL(nextPageOf(headers)!).searchParams.get('cursor')!;
  };
  const expectInvalid = async (path: string, cursor: string) =>
    expectError(await get(`${path}cursor=${cursor}`), 400, 'invalid_cursor');

  it('belongs to one operation and its filters, with any limit', async () => {
    const { categoryId, pets } = await availablePets(2);
    const path = `/pets?categoryId=${categoryId}&`;
    const cursor = await cursorOf(path);
    expect(await list(`limit=50&categoryId=${categoryId}&cursor=${cursor}`)).toEqual(pets.slice(1));
    for (const other of [
      '/pets?',
      '/pets/categories?',
      `${path}status=sold&`,
      '/pets?categoryId=1&',
    ])
      await expectInvalid(other, cursor);
  });

  it('that is altered or cut off anywhere returns 400 invalid_cursor', async () => {
    for (const _ of [1, 2]) await createCategory(petstore.staff);
    const cursor = await cursorOf('/pets/categories?');
    for (const [at, letter] of [...cursor].entries()) {
      const cut = cursor.slice(0, at);
      const altered = cut + (letter === 'a' ? 'b' : 'a') + cursor.slice(at + 1);
      for (const wrong of [cut, altered]) await expectInvalid('/pets/categories?', wrong);
    }
  });
});

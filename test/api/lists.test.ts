import { beforeAll, describe, expect, it } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

type Pet = Awaited<ReturnType<typeof createPet>>;
const newestFirst = (pets: readonly Pet[]) => pets.toSorted((a, b) => b.id - a.id);
const list = async (query: string) => (await petstore.anonymous('GET', `/pets?${query}`)).body;

/** Of a new category, newest first. */
const petsOf = async (...statuses: string[]) => {
  const { id: categoryId } = await createCategory(petstore.staff);
  const pets = await Promise.all(
    statuses.map(status => createPet(petstore.staff, categoryId, { status })),
  );
  return { categoryId, pets: newestFirst(pets) };
};

describe('a page', () => {
  it('has the newest items first and is full, except for the last page, which has no Link', async () => {
    const { categoryId, pets } = await petsOf(...Array<string>(7).fill('available'));
    const pages: Pet[][] = [];
    for (let next: string | undefined = `/pets?categoryId=${categoryId}&limit=3`; next; ) {
      const { body, headers } = await petstore.anonymous('GET', next);
      pages.push(body);
      next = nextPageOf(headers);
    }
    expect(pages).toEqual([pets.slice(0, 3), pets.slice(3, 6), pets.slice(6)]);
    const exact = await petstore.anonymous('GET', `/pets?categoryId=${categoryId}&limit=7`);
    expect([exact.body, exact.headers.get('Link')]).toEqual([pets, null]);
  });

  it('has 20 items by default, and reads one more', async () => {
    const { categoryId } = await petsOf(...Array<string>(22).fill('available'));
    petstore.proxy.responses.length = 0;
    expect(await list(`categoryId=${categoryId}`)).toHaveLength(20);
    expect(petstore.proxy.responses.map(({ body }) => body.Items.length)).toEqual([21]);
  });
});

describe('a filter', () => {
  /** One category has pets that are sold, available, pending and sold, another one sold pet. */
  const all: Pet[] = [];
  beforeAll(async () => {
    all.push(
      ...(await petsOf('sold', 'available', 'pending', 'sold')).pets,
      ...(await petsOf('sold')).pets,
    );
  });
  const isKnown = (id: number) => all.some(pet => pet.id === id);
  const inStatus = (status: string) => all.find(pet => pet.status === status)!;
  const [sold, other, category] = [
    () => inStatus('sold').id,
    () => all[4]!.id,
    () => all[0]!.categoryId,
  ];

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
    [
      () => `id=${all.map(({ id }) => id)}&status=sold&status=pending`,
      ({ status }) => status !== 'available',
    ],
    [() => `id=${sold()},${other()}&categoryId=${category()}`, ({ id }) => id === sold()],
    [() => 'id=9007199254740993', () => false],
  ])('%s selects pets, newest first', async (query, matches) => {
    const { body } = await petstore.anonymous('GET', `/pets?${query()}`);
    const expected = newestFirst(all.filter(matches));
    expect(body.filter(({ id }: Pet) => isKnown(id))).toEqual(expected);
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
    ['status=sold&status=pending&status=sold', ({ status }) => status !== 'available'],
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
    pets[2] = (
      await petstore.staff('PATCH', `/pets/${pets[2]!.id}`, { body: { name: zoe.toUpperCase() } })
    ).body;
    const first = await petstore.anonymous('GET', `/pets?name=${zoe}&limit=2`);
    const next = await petstore.anonymous('GET', nextPageOf(first.headers)!);
    expect([...first.body, ...next.body]).toEqual(newestFirst(pets.slice(0, 3)));
    expect(await list(`name=${zoe}&id=${pets.map(({ id }) => id)}`)).toEqual(
      newestFirst(pets.slice(0, 3)),
    );
    expect(await list(`name=${encodeURIComponent('ガ'.repeat(80))}&limit=1`)).toEqual([pets[4]]);
  });

  it.each([
    ['/store/inventory?onHold=true&status=sold', 'query.onHold: cannot be combined with status'],
    ['/store/inventory?onHold=false', 'query.onHold: expected true'],
    ['/pets?name=Tom&categoryId=1', 'query.name: cannot be combined with status or categoryId'],
    ['/pets?name=Tom&status=sold&id=1', 'query.name: cannot be combined with status or categoryId'],
    ['/pets?name=', /^query.name: expected a string of 1 to 100 characters/],
    [`/pets?name=${'x'.repeat(101)}`, /^query.name: expected a string of 1 to 100 characters/],
  ])('%s is a 400 that says why', async (path, message) => {
    expectError(await petstore.staff('GET', path), 400, 'invalid_request', message);
  });

  it('by one id returns the ETag of the pet, if it exists and matches', async () => {
    const tag = (await petstore.anonymous('GET', `/pets/${sold()}`)).headers.get('ETag');
    const tagsOf = async (query: string) =>
      (await petstore.anonymous('GET', `/pets?id=${query}`)).headers.get('ETag');
    expect(await tagsOf(`${sold()},${sold()}`)).toBe(tag);
    for (const query of [`${sold()},${other()}`, `${sold()}&status=pending`])
      expect(await tagsOf(query)).toBeNull();
  });
});

describe('index shards', () => {
  it('can increase: a list has the pets that were written before and after', async () => {
    const { categoryId, pets } = await petsOf('available', 'available', 'available', 'available');
    const sharded = await startPetstore({
      tableName: petstore.tableName,
      environment: { INDEX_SHARDS: '3' },
    });
    pets.push(
      ...(await Promise.all(Array.from({ length: 8 }, () => createPet(sharded.staff, categoryId)))),
    );
    const moved = (
      await sharded.staff('PATCH', `/pets/${pets[0]!.id}`, { body: { status: 'sold' } })
    ).body;
    const { body, headers } = await sharded.anonymous(
      'GET',
      `/pets?categoryId=${categoryId}&limit=5`,
    );
    const { body: rest } = await sharded.anonymous(
      'GET',
      nextPageOf(headers)!.replace('limit=5', 'limit=7'),
    );
    expect([...body, ...rest].map(({ id }) => id)).toEqual(newestFirst(pets).map(({ id }) => id));
    expect(
      (await sharded.anonymous('GET', `/pets?categoryId=${categoryId}&status=sold`)).body,
    ).toEqual([moved]);
    await sharded.stop();
  });
});

describe('a cursor', () => {
  const firstPage = (path: string) => petstore.anonymous('GET', `${path}limit=1`);
  const cursorIn = ({ headers }: { headers: Headers }) =>
    new URL(nextPageOf(headers)!).searchParams.get('cursor')!;

  it('belongs to one operation and its filters, with any limit', async () => {
    const { categoryId, pets } = await petsOf('available', 'available');
    const cursor = cursorIn(await firstPage(`/pets?categoryId=${categoryId}&`));
    expect(await list(`limit=50&categoryId=${categoryId}&cursor=${cursor}`)).toEqual(pets.slice(1));
    for (const other of [
      '/pets?',
      '/pets/categories?',
      `/pets?categoryId=${categoryId}&status=sold&`,
      '/pets?categoryId=1&',
    ])
      expectError(
        await petstore.anonymous('GET', `${other}cursor=${cursor}`),
        400,
        'invalid_cursor',
      );
  });

  it('that is altered or cut off anywhere returns 400 invalid_cursor', async () => {
    for (const _ of [1, 2]) await createCategory(petstore.staff);
    const cursor = cursorIn(await firstPage('/pets/categories?'));
    for (const [at, letter] of [...cursor].entries()) {
      const cut = cursor.slice(0, at);
      for (const wrong of [cut, cut + (letter === 'a' ? 'b' : 'a') + cursor.slice(at + 1)])
        expectError(
          await petstore.anonymous('GET', `/pets/categories?cursor=${wrong}`),
          400,
          'invalid_cursor',
        );
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { type Client, startPetstore, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

/** Follows Link from page to page. `between` runs after each page. */
const getAllPages = async (client: Client, path: string, between: () => Promise<unknown> = async () => undefined) => {
  const pages: { id: number }[][] = [];
  for (let next: string | undefined = path; next; ) {
    const response = await client('GET', next);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    pages.push(response.body);
    next = nextPageOf(response.headers);
    await between();
  }
  return pages;
};

describe('a page', () => {
  it('has the newest items first and is full, except for the last page, which has no Link', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const pets = await Promise.all(Array.from({ length: 7 }, () => createPet(petstore.staff, categoryId)));
    const pages = await getAllPages(petstore.anonymous, `/pets?categoryId=${categoryId}&limit=3`);
    expect(pages.map(page => page.length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual([...pets].sort((a, b) => b.id - a.id));
    const exact = await petstore.anonymous('GET', `/pets?categoryId=${categoryId}&limit=7`);
    expect([exact.body.length, exact.headers.get('Link')]).toEqual([7, null]);
  });

  it('has 20 items by default', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    await Promise.all(Array.from({ length: 21 }, () => createPet(petstore.staff, categoryId)));
    expect((await petstore.anonymous('GET', `/pets?categoryId=${categoryId}`)).body.length).toBe(20);
  });

  it('reads one item more than it returns, however long the list is', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    await Promise.all(Array.from({ length: 5 }, () => createPet(petstore.staff, categoryId)));
    petstore.proxy.responses.length = 0;
    await petstore.anonymous('GET', `/pets?categoryId=${categoryId}&limit=2`);
    expect(petstore.proxy.responses.map(({ body }) => body.Items.length)).toEqual([3]);
  });

  it('is full however sparse the matches are', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    for (const status of ['sold', 'available', 'pending', 'sold', 'available', 'pending'])
      await createPet(petstore.staff, categoryId, { status });
    // These are newer, and of another category.
    const { id: other } = await createCategory(petstore.staff);
    for (const status of ['sold', 'pending']) await createPet(petstore.staff, other, { status });
    const response = await petstore.anonymous(
      'GET',
      `/pets?categoryId=${categoryId}&status=sold&status=pending&limit=4`,
    );
    expect(response.body.map(({ status }: { status: string }) => status)).toEqual([
      'pending',
      'sold',
      'pending',
      'sold',
    ]);
    expect(nextPageOf(response.headers)).toBeUndefined();
  });

  it('of pets without a category can be filtered by some statuses, or by all', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const [sold, pending, available] = [
      await createPet(petstore.staff, categoryId, { status: 'sold' }),
      await createPet(petstore.staff, categoryId, { status: 'pending' }),
      await createPet(petstore.staff, categoryId),
    ];
    const list = async (query: string) => (await petstore.anonymous('GET', `/pets?${query}`)).body;
    expect(await list('status=sold&limit=1')).toEqual([sold]);
    expect(await list('status=sold&status=pending&limit=2')).toEqual([pending, sold].sort((a, b) => b.id - a.id));
    expect(await list('status=sold&status=pending&status=available&limit=1')).toEqual(await list('limit=1'));
    const { call } = petstore.proxy.responses.at(-1)!;
    petstore.proxy.responses.length = 0;
    await list('status=sold&status=pending&status=available&limit=1');
    const requested = petstore.proxy.responses.map(({ call: { body } }) => body.IndexName);
    expect(requested, 'a change of status would hide a pet from a getAllPages over all').toEqual([call.body.IndexName]);
    expect((await list('limit=3')).length).toBe(3);
    expect(await list(`id=${available.id}`)).toEqual([available]);
  });

  it('of an unknown category is empty', async () => {
    expect((await petstore.anonymous('GET', '/pets?categoryId=4095')).body).toEqual([]);
  });

  it('has a Link with the same filters', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    await Promise.all([createPet(petstore.staff, categoryId), createPet(petstore.staff, categoryId)]);
    const response = await petstore.anonymous(
      'GET',
      `/pets?status=available&status=sold&categoryId=${categoryId}&limit=1`,
    );
    const next = new URL(nextPageOf(response.headers)!);
    expect(next.origin + next.pathname).toBe(`${petstore.url}/pets`);
    expect(next.searchParams.getAll('status')).toEqual(['available', 'sold']);
    expect(next.searchParams.get('limit')).toBe('1');
  });
});

describe('index shards', () => {
  it('can increase: a list has the pets that were written before and after', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const pets = await Promise.all(Array.from({ length: 4 }, () => createPet(petstore.staff, categoryId)));
    const sharded = await startPetstore({ tableName: petstore.tableName, environment: { INDEX_SHARDS: '3' } });
    pets.push(...(await Promise.all(Array.from({ length: 8 }, () => createPet(sharded.staff, categoryId)))));
    const moved = (await sharded.staff('PATCH', `/pets/${pets[0]!.id}`, { body: { status: 'sold' } })).body;
    const pages = await getAllPages(sharded.anonymous, `/pets?categoryId=${categoryId}&limit=5`);
    expect(pages.flat().map(({ id }) => id)).toEqual(pets.map(({ id }) => id).sort((a, b) => b - a));
    expect((await sharded.anonymous('GET', `/pets?categoryId=${categoryId}&status=sold`)).body).toEqual([moved]);
    await sharded.stop();
  });
});

describe('a cursor', () => {
  const cursorOf = async (path: string) =>
    new URL(nextPageOf((await petstore.staff('GET', path)).headers)!).searchParams.get('cursor')!;

  it('returns 400 invalid_cursor for another operation or other filters', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    await createCategory(petstore.staff);
    await Promise.all([createPet(petstore.staff, categoryId), createPet(petstore.staff, categoryId)]);
    const cursor = await cursorOf(`/pets?categoryId=${categoryId}&limit=1`);
    expect((await petstore.anonymous('GET', `/pets?limit=50&categoryId=${categoryId}&cursor=${cursor}`)).status).toBe(
      200,
    );
    for (const path of [
      '/pets?',
      '/pets/categories?',
      `/pets?categoryId=${categoryId}&status=available&`,
      '/pets?categoryId=1&',
    ]) {
      expectError(await petstore.anonymous('GET', `${path}cursor=${cursor}`), 400, 'invalid_cursor');
    }
  });

  it('returns 400 invalid_cursor when it is altered or cut off', async () => {
    await Promise.all([createCategory(petstore.staff), createCategory(petstore.staff)]);
    const cursor = await cursorOf('/pets/categories?limit=1');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc
            .nat(cursor.length - 1)
            .map(at => cursor.slice(0, at) + (cursor[at] === 'a' ? 'b' : 'a') + cursor.slice(at + 1)),
          fc.nat(cursor.length - 1).map(length => cursor.slice(0, length)),
        ),
        async garbled => {
          expectError(
            await petstore.anonymous('GET', `/pets/categories?cursor=${encodeURIComponent(garbled)}`),
            400,
            'invalid_cursor',
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of orders returns 400 invalid_cursor for another owner', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, categoryId);
    await petstore.staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 9 } });
    for (const _ of [1, 2]) await petstore.shop('POST', '/store/orders', { body: { petId: pet.id } });
    const response = await petstore.shop('GET', '/store/orders?limit=1');
    const cursor = new URL(nextPageOf(response.headers)!).searchParams.get('cursor');
    expect((await petstore.shop('GET', `/store/orders?cursor=${cursor}`)).body.length).toBe(1);
    for (const other of [petstore.rival, petstore.staff]) {
      expectError(await other('GET', `/store/orders?cursor=${cursor}`), 400, 'invalid_cursor');
    }
  });
});

describe('GET /pets?id=', () => {
  it('returns the given pets that exist and match the filters, newest first', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const sold = await createPet(petstore.staff, categoryId, { status: 'sold' });
    const pet = await createPet(petstore.staff, categoryId);
    const found = async (query: string) => (await petstore.anonymous('GET', `/pets?id=${query}`)).body;
    expect(await found(`${sold.id},${pet.id},4095&id=${pet.id}`)).toEqual([pet, sold].sort((a, b) => b.id - a.id));
    expect(await found(`${sold.id},${pet.id}&status=sold`)).toEqual([sold]);
    expect(await found(`${sold.id}&status=available`)).toEqual([]);
    expect(await found(`${sold.id}&categoryId=${categoryId}`)).toEqual([sold]);
    expect(await found(`${sold.id}&categoryId=1`)).toEqual([]);
    expect(await found('9007199254740993')).toEqual([]);
  });

  it('returns the pet’s ETag when one id is given and the pet exists and matches', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const [pet, other] = [await createPet(petstore.staff, categoryId), await createPet(petstore.staff, categoryId)];
    const tag = (await petstore.anonymous('GET', `/pets/${pet.id}`)).headers.get('ETag')!;
    const get = (query: string) =>
      petstore.anonymous('GET', `/pets?id=${query}`, { headers: { 'If-None-Match': tag } });
    const unchanged = await get(`${pet.id},${pet.id}`);
    expect([unchanged.status, unchanged.body, unchanged.headers.get('ETag')]).toEqual([304, '', tag]);
    expect((await get(`${pet.id},${other.id}`)).headers.get('ETag')).toBeNull();
    expect((await get(`${pet.id}&status=sold`)).body).toEqual([]);
  });
});

describe('reading all pages while the store changes', () => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), status: fc.constantFrom('available', 'sold') }),
    fc.record({ kind: fc.constantFrom('delete' as const, 'sell' as const, 'move' as const), which: fc.nat() }),
  );

  it('returns no pet twice, and every pet that does not change', async () => {
    const { id: elsewhere } = await createCategory(petstore.staff, 'Elsewhere');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('', 'status=available&', 'status=available&status=pending&'),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 8 }),
        async (filter, limit, script) => {
          const { id: categoryId } = await createCategory(petstore.staff);
          const pets = await Promise.all(Array.from({ length: 8 }, () => createPet(petstore.staff, categoryId)));
          const stayed = new Set(pets.map(({ id }) => id));
          const steps = [...script];
          const pages = await getAllPages(
            petstore.anonymous,
            `/pets?${filter}categoryId=${categoryId}&limit=${limit}`,
            async () => {
              for (const step of steps.shift() ?? []) {
                if (step.kind === 'add') {
                  await createPet(petstore.staff, categoryId, { status: step.status });
                  continue;
                }
                const { id } = pets[step.which % pets.length]!;
                // An unfiltered getAllPages must not lose a pet whose status changes.
                if (step.kind !== 'sell' || filter !== '') stayed.delete(id);
                if (step.kind === 'delete') await petstore.staff('DELETE', `/pets/${id}`);
                if (step.kind === 'sell') await petstore.staff('PATCH', `/pets/${id}`, { body: { status: 'sold' } });
                if (step.kind === 'move')
                  await petstore.staff('PATCH', `/pets/${id}`, { body: { categoryId: elsewhere } });
              }
            },
          );
          const ids = pages.flat().map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toEqual([...ids].sort((a, b) => b - a));
          expect(ids).toEqual(expect.arrayContaining([...stayed]));
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('a list by several statuses', () => {
  it('has every pet that does not change, and can omit one whose status changes during the request', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const toggled = await createPet(petstore.staff, categoryId);
    const available = await createPet(petstore.staff, categoryId);
    const pending = await createPet(petstore.staff, categoryId, { status: 'pending' });
    const path = `/pets?status=available&status=pending&categoryId=${categoryId}`;

    // One query per status. The pet leaves `available` after the query of pending pets, before that of available
    // pets.
    petstore.proxy.faultFor = ({ operation, body }) => {
      const isAvailable = JSON.stringify(body.ExpressionAttributeValues ?? {}).includes('available');
      if (operation !== 'Query' || !isAvailable) return undefined;
      return {
        meanwhile: async () => {
          petstore.proxy.faultFor = () => undefined;
          await expect.poll(() => petstore.proxy.responses.some(({ call }) => call.operation === 'Query')).toBe(true);
          await petstore.staff('PATCH', `/pets/${toggled.id}`, { body: { status: 'pending' } });
        },
      };
    };
    petstore.proxy.responses.length = 0;
    const during = await petstore.anonymous('GET', path);
    const ids = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id);
    expect(ids(during)).toEqual([pending.id, available.id]);
    expect(ids(await petstore.anonymous('GET', path))).toEqual([pending.id, available.id, toggled.id]);
  });
});

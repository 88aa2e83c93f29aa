import { expect, it } from 'vitest';
import { createStockedPet } from '../../../cdk/commands/shared/create-stocked-pet.ts';
import { createPetstore } from '../../../cdk/openapi/petstore-client.ts';
import { catalogOf } from '../../support/catalog.ts';
import { createCategory } from '../../support/fixtures.ts';
import { usePetstore } from '../../support/petstore.ts';

const petstore = usePetstore();
const { categoryOf, petsOf, stockOf } = catalogOf(petstore);

interface Line {
  readonly name: string;
  readonly category: string;
  readonly status?: 'available' | 'pending' | 'sold';
  readonly quantity?: number;
}

/** Imports one line, and fails after the first response to a request of this method. */
const importing = async (
  { category, ...pet }: Line,
  killedAfter?: string,
  onResponse: (request: Request) => Promise<unknown> = async () => undefined,
): Promise<void> => {
  const failingFetch = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    await onResponse(request);
    if (request.method === killedAfter && !request.url.endsWith('token')) throw new Error('killed');
    return response;
  };
  const credentials = { tokenUrl: petstore.tokenUrl, clientId: 'staff', clientSecret: 'local' };
  const client = createPetstore({ baseUrl: petstore.url, credentials, attempts: 1, fetch: failingFetch });
  const categoryId = (await categoryOf(category)) || (await createCategory(petstore.staff, category)).id;
  await createStockedPet(client, { ...pet, categoryId }, `import: ${category} ${pet.name}`);
};
const order = async (name: string, category: string, quantity: number): Promise<number> => {
  const { id } = (await petsOf(category)).find(pet => pet.name === name)!;
  return (await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity } })).status;
};

it.each(['POST', 'PUT', 'PATCH'])('is sold once, also when the import is killed after its %s', async killedAfter => {
  for (const sold of [1, 2, 3]) {
    const line = { name: `Tetra ${sold}`, category: `Sold after ${killedAfter}`, quantity: 3 };
    await expect(importing(line, killedAfter)).rejects.toThrow('killed');
    const isSold = (await order(line.name, line.category, sold)) === 201;
    await importing(line);
    const free = (await stockOf(line.name, line.category)).quantity;
    expect([sold, free + (isSold ? sold : 0)]).toEqual([sold, 3]);
    expect(await order(line.name, line.category, free + 1)).toBe(409);
  }
});

it.each<[Omit<Line, 'name' | 'category'>, object]>([
  [{ quantity: 3 }, { quantity: 3, status: 'available' }],
  [{ quantity: 1 }, { quantity: 1, status: 'available' }],
  [{ quantity: 0 }, { quantity: 0, status: 'sold' }],
  [
    { status: 'available', quantity: 2 },
    { quantity: 2, status: 'available' },
  ],
  [
    { status: 'pending', quantity: 3 },
    { quantity: 3, status: 'pending' },
  ],
  [
    { status: 'sold', quantity: 3 },
    { quantity: 3, status: 'sold' },
  ],
  [{ status: 'sold' }, { quantity: 0, status: 'sold' }],
])('equals the line, %j, wherever the import was killed', async (fields, stock) => {
  const category = `As in ${JSON.stringify(fields)}`;
  for (const killedAfter of ['POST', 'PUT', 'PATCH', 'none']) {
    const line = { name: `After ${killedAfter}`, category, ...fields };
    await importing(line, killedAfter).catch(() => undefined);
    await importing(line);
    expect(await stockOf(line.name, category), killedAfter).toEqual(stock);
  }
});

it('is sold once when another run sets the quantity and a customer orders before this run sets it', async () => {
  const line = { name: 'Twice', category: 'Resumed twice', quantity: 3 };
  await expect(importing(line, 'POST')).rejects.toThrow('killed');
  let others = 0;
  await importing(line, undefined, async ({ method, url }) => {
    if (method !== 'GET' || !url.includes('/store/inventory/') || others++ > 0) return;
    await importing(line);
    expect(await order(line.name, line.category, 1)).toBe(201);
  });
  expect(await stockOf(line.name, line.category)).toEqual({ quantity: 2, status: 'available' });
});

it('is sold once when another run releases it, and customers order every unit, before this run releases it', async () => {
  const line = { name: 'Released', category: 'Released twice', quantity: 3 };
  await expect(importing(line, 'PUT')).rejects.toThrow('killed');
  let others = 0;
  await importing(line, undefined, async ({ method, url }) => {
    if (method !== 'GET' || !url.includes('/store/inventory/') || others++ > 0) return;
    await importing(line);
    expect(await order(line.name, line.category, 3)).toBe(201);
  });
  expect(await stockOf(line.name, line.category)).toEqual({ quantity: 0, status: 'pending' });
});

it('never has an available unit when the line has none', async () => {
  const line = { name: 'None', category: 'Never in stock', quantity: 0 };
  const ordered: number[] = [];
  await importing(line, undefined, async ({ url }) => {
    if (/\/pets$|inventory/.test(url)) ordered.push(await order(line.name, line.category, 1));
  });
  expect(ordered.length).toBeGreaterThan(0);
  expect(new Set(ordered)).toEqual(new Set([409]));
});

it('is not changed when staff set it between two runs', async () => {
  const line = { name: 'Counted', category: 'Counted', quantity: 3 };
  await expect(importing(line, 'PATCH')).rejects.toThrow('killed');
  const [pet] = await petsOf('Counted');
  await petstore.staff('PUT', `/store/inventory/${pet!.id}`, { body: { quantity: 5 } });
  await importing(line);
  expect(await stockOf('Counted', 'Counted')).toEqual({ quantity: 5, status: 'available' });
});

it('is not set when the pet was deleted between two runs', async () => {
  const line = { name: 'Deleted', category: 'Deleted', quantity: 3 };
  await expect(importing(line, 'POST')).rejects.toThrow('killed');
  const [pet] = await petsOf('Deleted');
  expect((await petstore.staff('DELETE', `/pets/${pet!.id}`)).status).toBe(204);
  await importing(line);
  expect(await petsOf('Deleted')).toEqual([]);
});

it('is not for sale again when staff set it to sold between two runs', async () => {
  const line = { name: 'Withdrawn', category: 'Withdrawn', quantity: 3 };
  await expect(importing(line, 'POST')).rejects.toThrow('killed');
  const [pet] = await petsOf('Withdrawn');
  const sold = { body: { status: 'sold' } };
  expect((await petstore.staff('PATCH', `/pets/${pet!.id}`, sold)).status).toBe(200);
  await importing(line);
  expect(await stockOf('Withdrawn', 'Withdrawn')).toEqual({ quantity: 1, status: 'sold' });
});

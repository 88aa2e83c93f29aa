import { expect, it } from 'vitest';
import { createStockedPet, type StockedPet } from '../../../cdk/commands/shared/create-stocked-pet.ts';
import { createPetstore } from '../../../cdk/openapi/petstore-client.ts';
import { catalogOf } from '../../support/catalog.ts';
import { createCategory } from '../../support/fixtures.ts';
import { usePetstore } from '../../support/petstore.ts';

const petstore = usePetstore();
const { categoryOf, petsOf, stockOf } = catalogOf(petstore);

type Line = Omit<StockedPet, 'categoryId'> & { readonly category: string };

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

it.each<[status: Line['status'], quantity: number | undefined, stock: object]>([
  [undefined, 3, { quantity: 3, status: 'available' }],
  [undefined, 1, { quantity: 1, status: 'available' }],
  [undefined, 0, { quantity: 0, status: 'sold' }],
  ['available', 2, { quantity: 2, status: 'available' }],
  ['pending', 3, { quantity: 3, status: 'pending' }],
  ['sold', 3, { quantity: 3, status: 'sold' }],
  ['sold', undefined, { quantity: 0, status: 'sold' }],
])('with status %s and quantity %s is the same wherever the import is killed', async (status, quantity, stock) => {
  const category = `As in ${status} ${quantity}`;
  for (const killedAfter of ['POST', 'PUT', 'PATCH', 'none']) {
    const line = { name: `After ${killedAfter}`, category, status, quantity };
    await importing(line, killedAfter).catch(() => undefined);
    await importing(line);
    expect(await stockOf(line.name, category), killedAfter).toEqual(stock);
  }
});

it.each([
  ['orders a unit before this run sets the quantity', 'POST', 1, { quantity: 2, status: 'available' }],
  ['orders every unit before this run releases it', 'PUT', 3, { quantity: 0, status: 'pending' }],
])('is sold once when another run finishes it, and a customer %s', async (name, killedAfter, units, stock) => {
  const line = { name, category: 'Resumed twice', quantity: 3 };
  await expect(importing(line, killedAfter)).rejects.toThrow('killed');
  let others = 0;
  await importing(line, undefined, async ({ method, url }) => {
    if (method !== 'GET' || !url.includes('/store/inventory/') || others++ > 0) return;
    await importing(line);
    expect(await order(line.name, line.category, units)).toBe(201);
  });
  expect(await stockOf(line.name, line.category)).toEqual(stock);
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

it.each([
  ['sets its quantity', 'PATCH', 'PUT /store/inventory/', { quantity: 5 }, { quantity: 5, status: 'available' }],
  ['sets it to sold', 'POST', 'PATCH /pets/', { status: 'sold' }, { quantity: 1, status: 'sold' }],
  ['deletes it', 'POST', 'DELETE /pets/', undefined, undefined],
])('is not changed when staff %s between two runs', async (category, killedAfter, request, body, stock) => {
  const line = { name: 'Tom', category, quantity: 3 };
  await expect(importing(line, killedAfter)).rejects.toThrow('killed');
  const [pet] = await petsOf(category);
  const [method = '', path] = request.split(' ');
  expect((await petstore.staff(method, `${path}${pet!.id}`, { body })).status).toBeLessThan(300);
  await importing(line);
  const left = (await petsOf(category)).length > 0 ? await stockOf('Tom', category) : undefined;
  expect(left).toEqual(stock);
});

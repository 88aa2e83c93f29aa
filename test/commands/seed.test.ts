import { expect, it } from 'vitest';
import { shop } from '../../cdk/commands/seed/shop.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

it('npm run seed creates the shop once, with orders of the client shop', async () => {
  for (const _ of ['first', 'second']) {
    const { code, output } = await runInProcess('cdk/commands/seed/index.ts', ['--local', petstore.url]);
    expect([code, output]).toEqual([
      0,
      `The shop at ${petstore.url}/ has 4 categories and 9 pets, and some orders: curl -s ${petstore.url}/pets\n`,
    ]);
  }
  const categories = (await petstore.staff('GET', '/pets/categories')).body as { name: string; description?: string }[];
  const described = ({ name, description }: { name: string; description?: string }) => [name, description];
  expect(categories.map(described).reverse()).toEqual(shop.map(described));
  const pets = (await petstore.staff('GET', '/pets')).body as { id: number; name: string }[];
  const names = new Map(pets.map(({ id, name }) => [id, name]));
  const stock = (await petstore.staff('GET', '/store/inventory')).body as { petId: number; quantity: number }[];
  expect(Object.fromEntries(stock.map(({ petId, quantity }) => [names.get(petId), quantity]))).toEqual({
    ...{ Tom: 1, Minka: 1, Professor: 1, Rex: 1, Bella: 0 },
    ...{ 'Neon tetra': 216, Guppy: 108, Clownfish: 10, 'Golden hamster': 5 },
  });
  const orders = (await petstore.shop('GET', '/store/orders')).body as Record<string, unknown>[];
  expect(orders.map(({ petId, quantity, complete }) => [names.get(petId as number), quantity, complete])).toEqual([
    ['Golden hamster', 1, false],
    ['Clownfish', 2, true],
    ['Guppy', 12, false],
    ['Neon tetra', 24, true],
  ]);
});

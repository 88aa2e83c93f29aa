import { describe, expect, inject, it } from 'vitest';
import { contentsOf } from '../reference/invariants.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

const countOf = async (kind: 'pets' | 'categories' | 'orders', id: number): Promise<unknown> =>
  (await contentsOf(inject('endpoint'), petstore.tableName))[kind].find(item => item.id === id)?.writeCount;

describe('an item', () => {
  it('increments its write count with every write, starting at 1', async () => {
    const { staff, shop } = petstore;
    const { body: cats } = await staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    expect(await countOf('categories', cats.id)).toBe(1);
    const { body: tom } = await staff('POST', '/pets', { body: { name: 'Tom', categoryId: cats.id } });
    expect([await countOf('categories', cats.id), await countOf('pets', tom.id)]).toEqual([2, 1]);
    await staff('PUT', `/store/inventory/${tom.id}`, { body: { quantity: 5 } });
    await staff('PATCH', `/pets/${tom.id}`, { body: { name: 'Kit' } });
    expect(await countOf('pets', tom.id)).toBe(3);
    const { body: order } = await shop('POST', '/store/orders', { body: { petId: tom.id, quantity: 2 } });
    expect([await countOf('pets', tom.id), await countOf('orders', order.id)]).toEqual([4, 1]);
    await staff('PATCH', `/store/orders/${order.id}`, { body: { complete: true } });
    expect([await countOf('pets', tom.id), await countOf('orders', order.id)]).toEqual([5, 2]);
  });

  it('does not increment its write count when a write is rejected or changes nothing', async () => {
    const { staff } = petstore;
    const { body: cats } = await staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    const { body: tom } = await staff('POST', '/pets', { body: { name: 'Tom', categoryId: cats.id } });
    await staff('PATCH', `/pets/${tom.id}`, { body: {} });
    await staff('PATCH', `/pets/${tom.id}`, { body: { name: 'Kit' }, headers: { 'If-Match': '"another"' } });
    await staff('DELETE', `/pets/categories/${cats.id}`);
    expect([await countOf('categories', cats.id), await countOf('pets', tom.id)]).toEqual([2, 1]);
  });
});

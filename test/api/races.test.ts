import { describe, expect, it } from 'vitest';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

describe('parallel requests', () => {
  it('never create a pet in a deleted category', async () => {
    for (let round = 0; round < 12; round++) {
      const { id } = await createCategory(petstore.staff);
      const [removal, ...creations] = await Promise.all([
        petstore.staff('DELETE', `/pets/categories/${id}`),
        ...[1, 2, 3].map(() => petstore.staff('POST', '/pets', { body: { name: 'Tom', categoryId: id } })),
      ]);
      const created = creations.filter(({ status }) => status === 201);
      const exists = (await petstore.anonymous('GET', `/pets/categories/${id}`)).status === 200;
      expect(removal.status).toBe(exists ? 409 : 204);
      expect(created.length).toBe(exists ? creations.filter(({ status }) => status !== 422).length : 0);
    }
  });

  it('that move pets keep the pet counts of the categories correct', async () => {
    const categories = await Promise.all([1, 2, 3].map(() => createCategory(petstore.staff)));
    const pets = await Promise.all(categories.map(({ id }) => createPet(petstore.staff, id)));
    // Each pet into each category, repeatedly.
    const moves = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        petstore.staff('PATCH', `/pets/${pets[index % 3]!.id}`, {
          body: { categoryId: categories[Math.floor(index / 3) % 3]!.id },
        }),
      ),
    );
    expect(moves.filter(({ status }) => status === 200).length).toBeGreaterThan(3);
    await Promise.all(pets.map(({ id }) => petstore.staff('DELETE', `/pets/${id}`)));
    const removals = await Promise.all(categories.map(({ id }) => petstore.staff('DELETE', `/pets/categories/${id}`)));
    expect(removals.map(({ status }) => status)).toEqual([204, 204, 204]);
  });

  it('for an order and deletePet either create the order or delete the pet', async () => {
    for (let round = 0; round < 8; round++) {
      const pet = await stockedPet(petstore.staff, 5);
      const [removal, ...orders] = await Promise.all([
        petstore.staff('DELETE', `/pets/${pet.id}`),
        ...[1, 2].map(() => petstore.shop('POST', '/store/orders', { body: { petId: pet.id } })),
      ]);
      const placed = orders.filter(({ status }) => status === 201).length;
      if (removal.status === 204) expect(placed).toBe(0);
      else expect([removal.status, placed > 0]).toEqual([409, true]);
    }
  });

  it('for completion and cancellation of one order execute exactly one of them', async () => {
    for (let round = 0; round < 8; round++) {
      const pet = await stockedPet(petstore.staff, 1);
      const { body: order } = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id } });
      const [completion, cancellation] = await Promise.all([
        petstore.staff('PATCH', `/store/orders/${order.id}`, { body: { complete: true } }),
        petstore.shop('DELETE', `/store/orders/${order.id}`),
      ]);
      const { quantity, status } = (await petstore.staff('GET', `/store/inventory/${pet.id}`)).body;
      if (completion.status === 200) expect([cancellation.status, quantity, status]).toEqual([409, 0, 'sold']);
      else expect([completion.status, cancellation.status, quantity, status]).toEqual([404, 204, 1, 'available']);
    }
  });
});

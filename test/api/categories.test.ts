import { describe, expect, it } from 'vitest';
import { expectCommonHeaders, expectError } from '../support/expect-error.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

describe('categories', () => {
  it('POST returns 201 with a Location where GET returns the new category', async () => {
    const body = { name: ' Cats ', description: '  purr ' };
    const response = await petstore.staff('POST', '/pets/categories', { body });
    expect([response.status, response.body]).toEqual([
      201,
      { id: expect.any(Number), name: 'Cats', description: '  purr ' },
    ]);
    expect(response.headers.get('Location')).toBe(`${petstore.url}/pets/categories/${response.body.id}`);
    const read = await petstore.anonymous('GET', response.headers.get('Location')!);
    expect([read.status, read.body, read.headers.get('ETag')]).toEqual([
      200,
      response.body,
      response.headers.get('ETag'),
    ]);
    expectCommonHeaders(read);
  });

  it('have 53-bit integer ids in the order of creation', async () => {
    const first = await createCategory(petstore.staff);
    await new Promise(resolve => setTimeout(resolve, 2));
    const second = await createCategory(petstore.staff);
    expect(second.id).toBeGreaterThan(first.id);
    expect(Number.isSafeInteger(second.id)).toBe(true);
    const milliseconds = Math.floor(second.id / 2 ** 12) + Date.UTC(2025, 0, 1);
    expect(Math.abs(milliseconds - Date.now())).toBeLessThan(60_000);
  });

  it('keep an empty description, which differs from none', async () => {
    const { body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats', description: '' } });
    expect(body).toEqual({ id: body.id, name: 'Cats', description: '' });
    const replaced = await petstore.staff('PUT', `/pets/categories/${body.id}`, { body });
    expect(replaced.body).toEqual(body);
    expect((await petstore.anonymous('GET', `/pets/categories/${body.id}`)).body).toEqual(body);
  });

  it('PUT without a description removes the description', async () => {
    const created = (await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats', description: 'purr' } }))
      .body;
    const response = await petstore.staff('PUT', `/pets/categories/${created.id}`, { body: { name: 'Dogs' } });
    expect([response.status, response.body]).toEqual([200, { id: created.id, name: 'Dogs' }]);
    expect((await petstore.anonymous('GET', `/pets/categories/${created.id}`)).body).toEqual(response.body);
    const again = await petstore.staff('PUT', `/pets/categories/${created.id}`, { body: response.body });
    expect(again.headers.get('ETag')).toBe(response.headers.get('ETag'));
  });

  it('cannot be deleted while they have a pet, also after a PUT', async () => {
    const { id } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, id);
    await petstore.staff('PUT', `/pets/categories/${id}`, { body: { name: 'Dogs' } });
    expectError(await petstore.staff('DELETE', `/pets/categories/${id}`), 409, 'category_in_use');
    await petstore.staff('DELETE', `/pets/${pet.id}`);
    expect((await petstore.staff('DELETE', `/pets/categories/${id}`)).status).toBe(204);
    expectError(await petstore.anonymous('GET', `/pets/categories/${id}`), 404, 'category_not_found');
    expectError(await petstore.staff('DELETE', `/pets/categories/${id}`), 404, 'category_not_found');
    expectError(
      await petstore.staff('PUT', `/pets/categories/${id}`, { body: { name: 'Dogs' } }),
      404,
      'category_not_found',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { expectCommonHeaders, expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { clientOf, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

/** Each kind of resource that has an ETag, with a request that changes it. */
const resources = async () => {
  const category = await createCategory(petstore.staff);
  const pet = await createPet(petstore.staff, category.id);
  const stocked = await stockedPet(petstore.staff, 5);
  const order = (await petstore.staff('POST', '/store/orders', { body: { petId: stocked.id } })).body;
  return [
    { path: `/pets/${pet.id}`, method: 'PUT', body: { name: 'Kit', categoryId: category.id } },
    { path: `/pets/categories/${category.id}`, method: 'PUT', body: { name: 'Dogs' } },
    { path: `/store/inventory/${stocked.id}`, method: 'PUT', body: { quantity: 9 } },
    { path: `/store/orders/${order.id}`, method: 'PATCH', body: { shipDate: '2027-01-01T00:00:00Z' } },
  ];
};

describe('If-None-Match on GET', () => {
  it('returns 304 without a body for the current tag (weak, strong or in a list) and for *', async () => {
    for (const { path } of await resources()) {
      const tag = (await petstore.staff('GET', path)).headers.get('ETag')!;
      for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const response = await petstore.staff('GET', path, { headers: { 'If-None-Match': header } });
        expect([response.status, response.body, response.headers.get('ETag')]).toEqual([304, '', tag]);
        expectCommonHeaders(response);
      }
      expect((await petstore.staff('GET', path, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200);
      expectError(
        await petstore.staff('GET', path, { headers: { 'If-None-Match': 'x' } }),
        400,
        'invalid_request',
        /^header\.If-None-Match/,
      );
    }
  });
});

describe('If-None-Match on PUT, PATCH and DELETE', () => {
  it('returns 412 and writes nothing for the current tag (weak, strong or in a list) and for *', async () => {
    for (const { path, method, body } of await resources()) {
      const before = await petstore.staff('GET', path);
      const tag = before.headers.get('ETag')!;
      for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const headers = { 'If-None-Match': header };
        expectError(await petstore.staff(method, path, { body, headers }), 412, 'precondition_failed');
        if (path.includes('inventory')) continue;
        expectError(await petstore.staff('DELETE', path, { headers }), 412, 'precondition_failed');
      }
      expect((await petstore.staff('GET', path)).body).toEqual(before.body);
    }
  });

  it('writes when no tag matches, and returns 200 when the new representation matches', async () => {
    const { id } = await createCategory(petstore.staff, 'Cats');
    const path = `/pets/categories/${id}`;
    const cats = (await petstore.anonymous('GET', path)).headers.get('ETag')!;
    await petstore.staff('PUT', path, { body: { name: 'Dogs' } });
    const written = await petstore.staff('PUT', path, { body: { name: 'Cats' }, headers: { 'If-None-Match': cats } });
    expect([written.status, written.body, written.headers.get('ETag')]).toEqual([200, { id, name: 'Cats' }, cats]);
  });

  it('returns 412 after a matching If-Match, and 404 when the resource does not exist', async () => {
    const { id } = await createCategory(petstore.staff);
    const path = `/pets/categories/${id}`;
    const tag = (await petstore.anonymous('GET', path)).headers.get('ETag')!;
    const put = (at: string, headers: Record<string, string>) =>
      petstore.staff('PUT', at, { body: { name: 'Dogs' }, headers });
    expectError(await put(path, { 'If-Match': tag, 'If-None-Match': tag }), 412, 'precondition_failed');
    expectError(await put('/pets/categories/4095', { 'If-None-Match': '*' }), 404, 'category_not_found');
    expectError(await put(path, { 'If-None-Match': 'x' }), 400, 'invalid_request', /^header\.If-None-Match/);
    expect((await put(path, { 'If-Match': tag, 'If-None-Match': '"x"' })).status).toBe(200);
  });
});

describe('If-Match on GET', () => {
  it('is ignored', async () => {
    for (const { path } of await resources())
      expect((await petstore.staff('GET', path, { headers: { 'If-Match': '"x"' } })).status).toBe(200);
  });
});

describe('If-None-Match on a file of the page', () => {
  it.each(['/docs', '/docs/page.js', '/docs/page.css', '/openapi.json'])(
    'returns 304 for %s with the headers of the 200, with which a cache updates its copy (RFC 9111, section 3.2)',
    async path => {
      const whole = await petstore.anonymous('GET', path);
      const headers = { 'If-None-Match': whole.headers.get('ETag')! };
      const response = await petstore.anonymous('GET', path, { headers });
      expect(response.status).toBe(304);
      for (const name of ['Content-Type', 'Content-Security-Policy', 'Cache-Control', 'ETag'])
        expect(response.headers.get(name), name).toBe(whole.headers.get(name));
    },
  );
});

describe('If-Match', () => {
  it('writes for the current tag or *, and returns 412 without a write for other and weak tags', async () => {
    for (const { path, method, body } of await resources()) {
      const before = await petstore.staff('GET', path);
      const tag = before.headers.get('ETag')!;
      for (const header of ['"x"', `W/${tag}`, '"x", "y"']) {
        expectError(
          await petstore.staff(method, path, { body, headers: { 'If-Match': header } }),
          412,
          'precondition_failed',
        );
        if (path.includes('inventory')) continue;
        expectError(
          await petstore.staff('DELETE', path, { headers: { 'If-Match': header } }),
          412,
          'precondition_failed',
        );
      }
      expect((await petstore.staff('GET', path)).body).toEqual(before.body);
      const written = await petstore.staff(method, path, { body, headers: { 'If-Match': `"x", ${tag}` } });
      expect([written.status, written.headers.get('ETag')]).toEqual([200, expect.not.stringMatching(tag)]);
      expectError(
        await petstore.staff(method, path, { body, headers: { 'If-Match': tag } }),
        412,
        'precondition_failed',
      );
      expect((await petstore.staff(method, path, { body, headers: { 'If-Match': '*' } })).status).toBe(200);
    }
  });

  it('returns 412 after a 404, and before a 422 and a 409', async () => {
    const headers = { 'If-Match': '"x"' };
    const { id } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, id);
    const unknown = { name: 'Tom', categoryId: 4095 };
    expectError(await petstore.staff('PUT', '/pets/4095', { headers, body: unknown }), 404, 'pet_not_found');
    expectError(await petstore.staff('PUT', `/pets/${pet.id}`, { headers, body: unknown }), 412, 'precondition_failed');
    expectError(await petstore.staff('DELETE', `/pets/categories/${id}`, { headers }), 412, 'precondition_failed');
    expectError(await petstore.staff('DELETE', '/pets/categories/4095', { headers }), 404, 'category_not_found');
    expectError(
      await petstore.staff('PUT', '/pets/categories/4095', { headers, body: { name: 'x' } }),
      404,
      'category_not_found',
    );
    expectError(
      await petstore.staff('PUT', '/store/inventory/4095', { headers, body: { quantity: 1 } }),
      404,
      'pet_not_found',
    );
    const { 'If-Match': tag } = {
      'If-Match': (await petstore.anonymous('GET', `/pets/categories/${id}`)).headers.get('ETag')!,
    };
    expectError(
      await petstore.staff('DELETE', `/pets/categories/${id}`, { headers: { 'If-Match': tag } }),
      409,
      'category_in_use',
    );
  });

  it('deletes the resource for the current tag', async () => {
    const { id } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, id);
    for (const path of [`/pets/${pet.id}`, `/pets/categories/${id}`]) {
      const tag = (await petstore.anonymous('GET', path)).headers.get('ETag')!;
      expect((await petstore.staff('DELETE', path, { headers: { 'If-Match': tag } })).status).toBe(204);
    }
  });

  it('with * costs no read: the condition of the write requires that the item exists', async () => {
    const { id } = await createCategory(petstore.staff);
    const { length } = petstore.proxy.responses;
    const headers = { 'If-Match': '*' };
    expect((await petstore.staff('DELETE', `/pets/categories/${id}`, { headers })).status).toBe(204);
    expect(petstore.proxy.responses.slice(length).map(({ call }) => call.operation)).toEqual(['TransactWriteItems']);
    expectError(await petstore.staff('DELETE', `/pets/categories/${id}`, { headers }), 404, 'category_not_found');
  });

  it('accepts empty elements in its list', async () => {
    const { id } = await createCategory(petstore.staff);
    const tag = (await petstore.anonymous('GET', `/pets/categories/${id}`)).headers.get('ETag')!;
    // The document describes only a part of what the service accepts.
    const lenient = clientOf(petstore.url, await petstore.token('staff'));
    expect((await lenient('DELETE', `/pets/categories/${id}`, { headers: { 'If-Match': `, ,${tag},` } })).status).toBe(
      204,
    );
  });

  it.each(['x', '"a" "b"', '"a', '*, "a"', '', 'w/"a"'])('returns 400 for %j', async header => {
    const response = await petstore.staff('DELETE', '/pets/4095', { headers: { 'If-Match': header } });
    expectError(response, 400, 'invalid_request', 'header.If-Match: expected * or a list of entity tags');
  });

  it('returns 412, not 409, when the resource changes between the read and the write', async () => {
    const category = await createCategory(petstore.staff);
    const tag = (await petstore.anonymous('GET', `/pets/categories/${category.id}`)).headers.get('ETag')!;
    let writes = 0;
    petstore.proxy.faultFor = ({ operation }) => {
      if (operation !== 'TransactWriteItems' || writes++ > 0) return undefined;
      const meanwhile = async () => {
        await petstore.staff('PUT', `/pets/categories/${category.id}`, { body: { name: 'Lions' } });
        await createPet(petstore.staff, category.id);
      };
      return { meanwhile };
    };
    const response = await petstore.staff('DELETE', `/pets/categories/${category.id}`, {
      headers: { 'If-Match': tag },
    });
    petstore.proxy.faultFor = () => undefined;
    expectError(response, 412, 'precondition_failed');
  });

  it('lets exactly one of parallel writes with the same tag succeed', async () => {
    for (const { path, method, body } of await resources()) {
      const tag = (await petstore.staff('GET', path)).headers.get('ETag')!;
      const attempts = Array.from({ length: 6 }, () =>
        petstore.staff(method, path, { body, headers: { 'If-Match': tag } }),
      );
      const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, 412, 412, 412, 412, 412]);
    }
  });
});

describe('a pet’s ETag', () => {
  it('does not change when only the stock of the pet changes', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const tag = async () => (await petstore.anonymous('GET', `/pets/${pet.id}`)).headers.get('ETag')!;
    const before = await tag();
    await petstore.shop('POST', '/store/orders', { body: { petId: pet.id, quantity: 2 } });
    expect(await tag()).toBe(before);
    expect(
      (await petstore.staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Kit' }, headers: { 'If-Match': before } }))
        .status,
    ).toBe(200);
    const renamed = await tag();
    await petstore.shop('POST', '/store/orders', { body: { petId: pet.id, quantity: 3 } });
    expect(await tag()).not.toBe(renamed);
  });
});

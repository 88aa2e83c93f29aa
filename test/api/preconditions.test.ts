import { beforeAll, describe, expect, it } from 'vitest';
import { allOperations } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { requestOf, send, type World, world } from '../support/requests.ts';

const petstore = usePetstore();
const changes = allOperations.filter(({ method }) => !['GET', 'POST'].includes(method));
/** The resources of requests that change nothing. */
const known = {} as World;
beforeAll(async () => void Object.assign(known, await world(petstore)));

/** Headers that are made from the current ETag. */
type Conditions = Record<string, (tag: string) => Record<string, string>>;

const executed: Conditions = {
  'If-Match with the tag': tag => ({ 'If-Match': tag }),
  'If-Match with the tag in a list': tag => ({ 'If-Match': `"x", ${tag}` }),
  'If-Match: *': () => ({ 'If-Match': '*' }),
  'If-None-Match with another tag': () => ({ 'If-None-Match': '"x"' }),
  'If-Match with the tag, and If-None-Match with another': tag => ({ 'If-Match': tag, 'If-None-Match': '"x"' }),
};

const rejected: Conditions = {
  'If-Match with other tags': () => ({ 'If-Match': '"x", "y"' }),
  'If-Match with the weak tag': tag => ({ 'If-Match': `W/${tag}` }),
  'If-None-Match with the tag': tag => ({ 'If-None-Match': tag }),
  'If-None-Match with the weak tag in a list': tag => ({ 'If-None-Match': `"x", W/${tag}` }),
  'If-None-Match: *': () => ({ 'If-None-Match': '*' }),
  'If-Match with the tag, and If-None-Match with it': tag => ({ 'If-Match': tag, 'If-None-Match': tag }),
};

describe.each(changes)('$id', operation => {
  const read = (path: string) => petstore.staff('GET', path);
  const tagAt = async (path: string) => (await read(path)).headers.get('ETag')!;

  it.each(Object.keys(executed))('is executed with %s', async name => {
    const request = requestOf(operation, await world(petstore));
    const tag = await tagAt(request.path);
    const { status } = await send(petstore, { ...request, headers: executed[name]!(tag) });
    expect([status, (await tagAt(request.path)) === tag]).toEqual([successOf(operation).status, false]);
  });

  it.each(Object.keys(rejected))('returns 412 and changes nothing with %s', async name => {
    const request = requestOf(operation, known);
    const before = await read(request.path);
    const headers = rejected[name]!(before.headers.get('ETag')!);
    expectError(await send(petstore, { ...request, headers }), 412, 'precondition_failed');
    const after = await read(request.path);
    expect([after.body, after.headers.get('ETag')]).toEqual([before.body, before.headers.get('ETag')]);
  });

  it('lets one of parallel requests with the same tag succeed', async () => {
    const request = requestOf(operation, await world(petstore));
    const headers = { 'If-Match': await tagAt(request.path) };
    const parallel = [1, 2, 3, 4].map(() => send(petstore, { ...request, headers }));
    const statuses = (await Promise.all(parallel)).map(({ status }) => status);
    expect(statuses.filter(status => status < 300).length, String(statuses)).toBe(1);
  });
});

describe('GET', () => {
  it.each(['pets', 'pets/categories', 'store/inventory', 'store/orders'])('/%s/… returns 304', async list => {
    const { id: petId, categoryId } = await stockedPet(petstore.staff, 5);
    const { body: order } = await petstore.staff('POST', '/store/orders', { body: { petId } });
    const id = { 'pets/categories': categoryId, 'store/orders': order.id }[list] ?? petId;
    const get = (headers = {}) => petstore.staff('GET', `/${list}/${id}`, { headers });
    const tag = (await get()).headers.get('ETag')!;
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const { status, body, headers } = await get({ 'If-None-Match': known });
      expect([status, body, headers.get('ETag')]).toEqual([304, '', tag]);
    }
    for (const headers of [{ 'If-None-Match': '"x"' }, { 'If-Match': '"x"' }])
      expect((await get(headers)).status).toBe(200);
  });

  it.each(['/docs', '/docs/page.js', '/docs/page.css', '/openapi.json'])(
    '%s returns 304 with the headers of the 200, with which a cache updates its copy (RFC 9111, section 3.2)',
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

describe('412', () => {
  it.each([
    ['PUT', '/pets/4095', { name: 'Tom', categoryId: 4095 }, 'pet_not_found'],
    ['PUT', '/pets/categories/4095', { name: 'x' }, 'category_not_found'],
    ['DELETE', '/pets/categories/4095', undefined, 'category_not_found'],
    ['PUT', '/store/inventory/4095', { quantity: 1 }, 'pet_not_found'],
    ['PATCH', '/store/orders/4095', {}, 'order_not_found'],
  ])('comes after 404: %s %s', async (method, path, body, code) => {
    expectError(await petstore.staff(method, path, { body, headers: { 'If-Match': '"x"' } }), 404, code);
  });

  it('comes before 422 and 409', async () => {
    const { id } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, id);
    const send = (method: string, path: string, tag: string, body?: object) =>
      petstore.staff(method, path, { body, headers: { 'If-Match': tag } });
    const move = { name: 'Tom', categoryId: 4095 };
    expectError(await send('PUT', `/pets/${pet.id}`, '"x"', move), 412, 'precondition_failed');
    expectError(await send('DELETE', `/pets/categories/${id}`, '"x"'), 412, 'precondition_failed');
    const tag = (await petstore.anonymous('GET', `/pets/categories/${id}`)).headers.get('ETag')!;
    expectError(await send('DELETE', `/pets/categories/${id}`, tag), 409, 'category_in_use');
  });
});

it('the ETag of a pet changes with its status, and not with its stock', async () => {
  const { id: petId } = await stockedPet(petstore.staff, 5);
  const tagAfter = async (quantity: number) => {
    await petstore.shop('POST', '/store/orders', { body: { petId, quantity } });
    return (await petstore.anonymous('GET', `/pets/${petId}`)).headers.get('ETag')!;
  };
  const tag = (await petstore.anonymous('GET', `/pets/${petId}`)).headers.get('ETag')!;
  expect([await tagAfter(2), (await tagAfter(3)) === tag]).toEqual([tag, false]);
});

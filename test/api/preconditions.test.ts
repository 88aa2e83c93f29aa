import { beforeAll, describe, expect, it } from 'vitest';
import { allOperations } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { expectError } from '../support/expect-error.ts';
import { usePetstore } from '../support/petstore.ts';
import { requestOf, send, type World, world } from '../support/requests.ts';

const petstore = usePetstore();
const changes = allOperations.filter(({ method }) => !['GET', 'POST'].includes(method));
/** Requests that change nothing share these resources. */
const known = {} as World;
beforeAll(async () => void Object.assign(known, await world(petstore)));

/** Headers in which TAG is the current ETag. */
const executed = [
  'If-Match: TAG',
  'If-Match: "x", TAG',
  'If-Match: *',
  'If-None-Match: "x"',
  'If-Match: TAG; If-None-Match: "x"',
];
const rejected = [
  'If-Match: "x", "y"',
  'If-Match: W/TAG',
  'If-None-Match: TAG',
  'If-None-Match: "x", W/TAG',
  'If-None-Match: *',
  'If-Match: TAG; If-None-Match: TAG',
];
const headersOf = (conditions: string, tag: string): Record<string, string> => {
  const lines = conditions.replaceAll('TAG', tag).split('; ');
  return Object.fromEntries(lines.map(line => line.split(': ')));
};

/** Of each kind of resource, or with rules of their own. All other operations share this code. */
const special = ['replaceCategory', 'deleteCategory', 'setInventory', 'updateOrder'];

describe.each(changes)('$id', operation => {
  const read = async (path: string) => {
    const { body, headers } = await petstore.staff('GET', path);
    return { body, tag: headers.get('ETag')! };
  };
  const count = special.includes(operation.id) ? undefined : 1;

  it.each(executed.slice(0, count))('is executed with %s', async conditions => {
    const request = requestOf(operation, await world(petstore));
    const { tag } = await read(request.path);
    const { status } = await send(petstore, { ...request, headers: headersOf(conditions, tag) });
    expect(status).toBe(successOf(operation).status);
    expect((await read(request.path)).tag).not.toBe(tag);
  });

  it.each(rejected.slice(0, count))('returns 412 and changes nothing with %s', async conditions => {
    const request = requestOf(operation, known);
    const before = await read(request.path);
    const headers = headersOf(conditions, before.tag);
    expectError(await send(petstore, { ...request, headers }), 412, 'precondition_failed');
    expect(await read(request.path)).toEqual(before);
  });
});

it('a GET with If-None-Match returns 304 for the tag, and ignores If-Match', async () => {
  const get = (headers = {}) => petstore.anonymous('GET', `/pets/${known.petId}`, { headers });
  const tag = (await get()).headers.get('ETag')!;
  for (const matching of [`W/${tag}`, `"x", ${tag}`, '*'])
    expect((await get({ 'If-None-Match': matching })).status, matching).toBe(304);
  for (const headers of [{ 'If-None-Match': '"x"' }, { 'If-Match': '"x"' }])
    expect((await get(headers)).status).toBe(200);
});

it.each(['/docs', '/openapi.json'])(
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

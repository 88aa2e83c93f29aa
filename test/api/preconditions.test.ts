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

/** By case, for the current ETag. */
type Conditions = Record<string, (tag: string) => Record<string, string>>;

const executed: Conditions = {
  'If-Match with the tag': tag => ({ 'If-Match': tag }),
  'If-Match with the tag in a list': tag => ({ 'If-Match': `"x", ${tag}` }),
  'If-Match: *': () => ({ 'If-Match': '*' }),
  'If-None-Match with another tag': () => ({ 'If-None-Match': '"x"' }),
  'If-Match with the tag, and If-None-Match with another': tag => ({
    'If-Match': tag,
    'If-None-Match': '"x"',
  }),
};

const rejected: Conditions = {
  'If-Match with other tags': () => ({ 'If-Match': '"x", "y"' }),
  'If-Match with the weak tag': tag => ({ 'If-Match': `W/${tag}` }),
  'If-None-Match with the tag': tag => ({ 'If-None-Match': tag }),
  'If-None-Match with the weak tag in a list': tag => ({ 'If-None-Match': `"x", W/${tag}` }),
  'If-None-Match: *': () => ({ 'If-None-Match': '*' }),
  'If-Match with the tag, and If-None-Match with it': tag => ({
    'If-Match': tag,
    'If-None-Match': tag,
  }),
};

describe.each(changes)('$id', operation => {
  const read = (path: string) => petstore.staff('GET', path);
  const tagAt = async (path: string) => (await read(path)).headers.get('ETag')!;

  it.each(Object.keys(executed))('is executed with %s', async name => {
    const request = requestOf(operation, await world(petstore));
    const tag = await tagAt(request.path);
    const { status } = await send(petstore, { ...request, headers: executed[name]!(tag) });
    expect([status, (await tagAt(request.path)) === tag]).toEqual([
      successOf(operation).status,
      false,
    ]);
  });

  it.each(Object.keys(rejected))('returns 412 and changes nothing with %s', async name => {
    const request = requestOf(operation, known);
    const before = await read(request.path);
    const headers = rejected[name]!(before.headers.get('ETag')!);
    expectError(await send(petstore, { ...request, headers }), 412, 'precondition_failed');
    const after = await read(request.path);
    expect([after.body, after.headers.get('ETag')]).toEqual([
      before.body,
      before.headers.get('ETag'),
    ]);
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

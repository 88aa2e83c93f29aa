import { describe, expect, it } from 'vitest';
import { allOperations, type Operation, servedPaths } from '../../lib/operations/index.ts';
import { type Scope, widerScopes } from '../../lib/scopes.ts';
import { call, expectErrorNamed, needs, testedScopes, useStage } from './stage.ts';

await useStage();

/** These valid ids are never assigned, so no request does harm even if the stage accepts it. */
const withIds = (path: string) => path.replaceAll(/{\w+}/g, '9000000000000000000');

describe.each([...new Set(allOperations.flatMap(servedPaths))])('%s', path => {
  const operations = allOperations.filter(operation => servedPaths(operation).includes(path));
  const methods: string[] = operations.map(({ method }) => method);

  it('has a preflight response', async () => {
    const headers = {
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': methods[0]!,
    };
    const response = await call('OPTIONS', withIds(path), { headers });
    const allowed = (name: string) => response.headers.get(`Access-Control-${name}`);
    expect([response.status, response.text, allowed('Max-Age')]).toEqual([204, '', '7200']);
    expect(allowed('Allow-Methods')).toBe('GET,POST,PUT,PATCH,DELETE');
    expect(allowed('Allow-Headers')).toBe('*,Authorization');
    expect(response.headers.get('Allow')?.split(', ')).toEqual([...methods, 'OPTIONS']);
    const patch = methods.includes('PATCH')
      ? 'application/merge-patch+json, application/json'
      : null;
    expect(response.headers.get('Accept-Patch')).toBe(patch);
  });

  it.each(
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(verb => !methods.includes(verb)),
  )('returns 405 for %s', async verb => {
    const response = await call(verb, withIds(path));
    expectErrorNamed(response, 'method_not_allowed', 'gateway');
    expect(response.headers.get('Allow')?.split(/, ?/)).toEqual([...methods, 'OPTIONS']);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });
});

describe('an unknown path', () => {
  // Without a resource for these paths, API Gateway takes the token for a signature and returns 403 (recorded).
  it.each(['/nothing', '/nothing/deeper/down', '/store', '/docs/a/b', '/pets/1/toys'])(
    'returns 404 for %s, with a token too',
    async path => {
      for (const method of ['GET', 'POST'])
        expectErrorNamed(await call(method, path), 'not_found', 'gateway');
      const preflight = await call('OPTIONS', path);
      expect([preflight.status, preflight.headers.get('Allow')]).toEqual([204, null]);
      expectErrorNamed(await call('GET', path, { token: 'client' }), 'not_found', 'gateway');
    },
  );

  // The passthrough behavior is NEVER, and images have no template (developer guide, "Integration passthrough behaviors").
  it('returns 415 for an image', async () => {
    const response = await call('POST', '/nothing', {
      body: 'a',
      headers: { 'Content-Type': 'image/png' },
    });
    expectErrorNamed(response, 'unsupported_media_type', 'gateway');
  });
});

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = { token_use: 'access', scope: 'petstore/orders' };
const forged = `${encoded({ alg: 'RS256', typ: 'JWT', kid: 'nobody' })}.${encoded(claims)}.${'A'.repeat(342)}`;
const notTokens = [
  'Bearer ',
  'Bearer nonsense',
  `Basic ${btoa('staff:secret')}`,
  `Bearer ${forged}`,
];
const withoutToken: Record<string, string>[] = [
  {},
  ...notTokens.map(Authorization => ({ Authorization })),
];
const guarded = allOperations.filter(({ access }) => access !== 'public');

// API Gateway renames WWW-Authenticate of a function, so the header shows that the authorizer responded.
it.each(guarded)('$id returns 401 without a valid token', async ({ method, path }) => {
  for (const headers of withoutToken)
    expectErrorNamed(await call(method, withIds(path), { headers }), 'unauthenticated', 'gateway');
});

describe.each(testedScopes)('with only the scope %s', token => {
  const isEnough = ({ access, method }: Operation) =>
    (method === 'GET' || !token.endsWith('.read')) &&
    (access === token || widerScopes(access as Scope).some(scope => scope === token));
  const callWithIt = ({ method, path, request }: Operation) => {
    needs(token);
    return call(method, withIds(path), { token, ...(request.body && { body: {} }) });
  };

  it.each(guarded.filter(isEnough))('$id is allowed', async operation => {
    expect([200, 400, 404]).toContain((await callWithIt(operation)).status);
  });

  it.each(guarded.filter(operation => !isEnough(operation)))('$id returns 403', async operation => {
    const response = await callWithIt(operation);
    expectErrorNamed(response, 'forbidden');
    expect(response.body.message).toContain(
      `does not have the scope petstore/${operation.access}. Use a client`,
    );
  });
});

import { exportJWK } from 'jose';
import { afterAll, expect, it, vi } from 'vitest';
import { createAuthorizer } from '../../../cdk/local/auth/authorizer.ts';
import { loadSigningKey } from '../../../cdk/local/auth/signing-key.ts';
import { createTokenEndpoint, localIssuer, tokenPath } from '../../../cdk/local/auth/tokens.ts';
import { serve } from '../../support/http.ts';

const key = await loadSigningKey();
const scopes = ['petstore/orders', 'petstore/inventory'];
const all = scopes.join(' ');
const handle = createTokenEndpoint([{ id: 'shop', scopes, lifetime: 1_800 }], key);
const server = await serve((request, body, response) => handle(request, body.toString(), response));
afterAll(server.stop);

/** For the client `shop`. */
const post = async (fields: object = {}, headers: Record<string, string> = {}) => {
  const form = {
    grant_type: 'client_credentials',
    client_id: 'shop',
    client_secret: 'local',
    ...fields,
  };
  const response = await fetch(server.url + tokenPath, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
  });
  return {
    status: response.status,
    ...((await response.json()) as { access_token?: string; error?: string }),
  };
};
const basic = (credentials: string) => ({ Authorization: `Basic ${btoa(credentials)}` });

let time = Date.now();
const authorize = createAuthorizer(localIssuer, key.publicJwk, () => time);

it.each<[status: number, scope: string, fields: object, headers: Record<string, string>]>([
  [200, all, {}, {}],
  [200, all, { client_secret: 'wrong' }, basic('shop:local')],
  [200, 'petstore/orders', { scope: 'petstore/orders' }, {}],
  [400, 'invalid_scope', { scope: 'petstore/catalog' }, {}],
  [400, 'invalid_scope', { scope: 'petstore/orders petstore/catalog' }, {}],
  [400, 'invalid_client', { client_secret: 'wrong' }, {}],
  [400, 'invalid_client', { client_secret: 'löcal' }, {}],
  [400, 'invalid_client', { client_id: 'nobody' }, {}],
  [400, 'invalid_client', {}, basic('shop:wrong')],
  [400, 'unsupported_grant_type', { grant_type: 'password' }, {}],
])(
  'the token endpoint returns %i %s for %j with the headers %j, as Cognito does',
  async (...row) => {
    const [status, scope, fields, headers] = row;
    const { access_token: token, ...body } = await post(fields, headers);
    const issued = { status, expires_in: 1_800, token_type: 'Bearer' };
    expect(body).toEqual(status === 200 ? issued : { status, error: scope });
    const claims = await authorize(`Bearer ${token}`, scopes);
    expect(claims?.scope).toBe(status === 200 ? scope : undefined);
    if (claims)
      expect(claims).toMatchObject({ client_id: 'shop', sub: 'shop', token_use: 'access' });
  },
);

it.each([
  ['POST', 400, '*'],
  ['GET', 405, null],
  ['OPTIONS', 405, null],
])(
  'the token endpoint returns for %s %i, and allows the origins %s',
  async (method, ...expected) => {
    const { status, headers } = await fetch(server.url + tokenPath, { method });
    expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual(expected);
  },
);

it('only the public part of the signing key is published', async () => {
  const published = await (await fetch(`${server.url}/.well-known/jwks.json`)).json();
  const { kty, n, e } = await exportJWK(key.privateKey);
  expect(published).toEqual({
    keys: [{ kty, n, e, alg: 'RS256', use: 'sig', kid: expect.any(String) }],
  });
});

it('a verified token is accepted until it expires, with its scopes and signature', async () => {
  const [token, other] = [(await post()).access_token!, (await post()).access_token!];
  const claims = (await authorize(`Bearer ${token}`, scopes))!;
  expect(await authorize(`Bearer ${other}`, scopes)).toBeDefined();
  const forged = [...token.split('.').slice(0, 2), other.split('.')[2]].join('.');
  expect(await authorize(`Bearer ${forged}`, scopes)).toBeUndefined();
  const verify = vi.spyOn(crypto.subtle, 'verify');
  claims.scope = 'petstore/catalog';
  expect(await authorize(`Bearer ${token}`, ['petstore/catalog'])).toBeUndefined();
  for (let count = 0; count < 1_000; count++)
    await authorize(`Bearer ${(await post()).access_token}`, scopes);
  time = (Number(claims.exp) - 1) * 1_000;
  expect((await authorize(`Bearer ${token}`, scopes))?.scope).toBe(all);
  expect(verify).toHaveBeenCalledTimes(1_001);
  time += 1_000;
  expect(await authorize(`Bearer ${token}`, scopes)).toBeUndefined();
});

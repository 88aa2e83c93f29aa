import { exportJWK } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuthorizer } from '../../../cdk/local/auth/authorizer.ts';
import { loadSigningKey } from '../../../cdk/local/auth/signing-key.ts';
import { createTokenEndpoint, localIssuer, tokenPath } from '../../../cdk/local/auth/tokens.ts';
import { serve } from '../../support/http.ts';

const key = await loadSigningKey();
const scopes = ['petstore/orders', 'petstore/inventory'];
const handle = createTokenEndpoint([{ id: 'shop', scopes, lifetime: 1_800 }], key);
const server = await serve((request, body, response) => handle(request, body.toString(), response));
afterAll(server.stop);

/** A request for a token of the client `shop`. */
const post = (fields: object = {}, headers: Record<string, string> = {}) => {
  const form = { grant_type: 'client_credentials', client_id: 'shop', client_secret: 'local', ...fields };
  return fetch(server.url + tokenPath, { method: 'POST', headers, body: new URLSearchParams(form) });
};
const basic = (credentials: string) => ({ Authorization: `Basic ${btoa(credentials)}` });
const newToken = async () => ((await (await post()).json()) as { access_token: string }).access_token;

let time = Date.now();
const authorize = createAuthorizer(localIssuer, key.publicJwk, () => time);

describe('the local token endpoint', () => {
  it.each<[string, object, Record<string, string>, string]>([
    ['form fields', {}, {}, scopes.join(' ')],
    ['HTTP Basic', { client_secret: 'wrong' }, basic('shop:local'), scopes.join(' ')],
    ['some of its scopes', { scope: 'petstore/orders' }, {}, 'petstore/orders'],
  ])('issues a token to a client with %s', async (_, fields, headers, scope) => {
    const { access_token: token, ...body } = (await (await post(fields, headers)).json()) as Record<string, unknown>;
    expect(body).toEqual({ expires_in: 1_800, token_type: 'Bearer' });
    const claims = await authorize(`Bearer ${token}`, ['petstore/orders']);
    expect(claims).toMatchObject({ client_id: 'shop', sub: 'shop', token_use: 'access', scope });
  });

  it.each<[string, object, Record<string, string>]>([
    ['invalid_scope', { scope: 'petstore/catalog' }, {}],
    ['invalid_scope', { scope: 'petstore/orders petstore/catalog' }, {}],
    ['invalid_client', { client_secret: 'wrong' }, {}],
    ['invalid_client', { client_secret: 'löcal' }, {}],
    ['invalid_client', { client_id: 'nobody' }, {}],
    ['invalid_client', {}, basic('shop:wrong')],
    ['unsupported_grant_type', { grant_type: 'password' }, {}],
  ])('returns %s for %j with the headers %j, as Cognito does', async (error, fields, headers) => {
    const response = await post(fields, headers);
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  it('allows every origin for POST, and returns 405 for other methods, OPTIONS included', async () => {
    expect((await post()).headers.get('Access-Control-Allow-Origin')).toBe('*');
    for (const method of ['GET', 'OPTIONS']) {
      const response = await fetch(server.url + tokenPath, { method });
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([405, null]);
    }
  });

  it('publishes only the public part of its signing key', async () => {
    const published = await (await fetch(`${server.url}/.well-known/jwks.json`)).json();
    const { kty, n, e } = await exportJWK(key.privateKey);
    expect(published).toEqual({ keys: [{ kty, n, e, alg: 'RS256', use: 'sig', kid: expect.any(String) }] });
  });
});

describe('a token that was verified before', () => {
  it('is accepted until it expires, for its own scopes', async () => {
    const token = `Bearer ${await newToken()}`;
    const claims = (await authorize(token, scopes))!;
    const { exp } = claims;
    claims.scope = 'petstore/catalog';
    expect(await authorize(token, ['petstore/catalog'])).toBeUndefined();
    time = (Number(exp) - 1) * 1000;
    expect((await authorize(token, scopes))?.scope).toBe(scopes.join(' '));
    time += 1_000;
    expect(await authorize(token, scopes)).toBeUndefined();
  });

  it('does not vouch for its claims with another signature', async () => {
    time = Date.now();
    const [token, other] = [await newToken(), await newToken()];
    for (const verified of [token, other]) expect(await authorize(`Bearer ${verified}`, scopes)).toBeDefined();
    const forged = [...token.split('.').slice(0, 2), other.split('.')[2]].join('.');
    expect(await authorize(`Bearer ${forged}`, scopes)).toBeUndefined();
  });
});

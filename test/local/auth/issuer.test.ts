import { exportJWK } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuthorizer } from '../../../cdk/local/auth/authorizer.ts';
import { loadSigningKey } from '../../../cdk/local/auth/signing-key.ts';
import { createTokenEndpoint, localIssuer, tokenPath } from '../../../cdk/local/auth/tokens.ts';
import { serve } from '../../support/http.ts';

const key = await loadSigningKey();
const clients = [{ id: 'shop', scopes: ['petstore/orders', 'petstore/inventory'], lifetime: 1_800 }];
const handle = createTokenEndpoint(clients, key);
const authorize = createAuthorizer(localIssuer, key.publicJwk);
const server = await serve((request, body, response) => handle(request, body.toString(), response));
const url = server.url + tokenPath;
afterAll(server.stop);

const form = { grant_type: 'client_credentials', client_id: 'shop', client_secret: 'local' };
const post = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
};
const basic = (credentials: string) => ({ Authorization: `Basic ${btoa(credentials)}` });

describe('the local token issuer', () => {
  it.each<[string, Record<string, string>, Record<string, string>, string]>([
    ['form fields', form, {}, 'petstore/orders petstore/inventory'],
    ['HTTP Basic', { grant_type: form.grant_type }, basic('shop:local'), 'petstore/orders petstore/inventory'],
    ['some of its scopes', { ...form, scope: 'petstore/orders' }, {}, 'petstore/orders'],
  ])('issues a token to a client with %s', async (_, fields, headers, scope) => {
    const { access_token: token, ...body } = (await post(fields, headers)).body;
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
    const { status, body } = await post({ ...form, ...fields }, headers);
    expect([status, body]).toEqual([400, { error }]);
  });

  it('allows every origin for POST, and returns 405 for other methods, OPTIONS included', async () => {
    expect((await post(form)).headers.get('Access-Control-Allow-Origin')).toBe('*');
    for (const method of ['GET', 'OPTIONS']) {
      const response = await fetch(url, { method });
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([405, null]);
    }
  });

  it('publishes only the public part of its signing key', async () => {
    const published = await (await fetch(new URL('/.well-known/jwks.json', url))).json();
    const { kty, n, e } = await exportJWK(key.privateKey);
    expect(published).toEqual({ keys: [{ kty, n, e, alg: 'RS256', use: 'sig', kid: expect.any(String) }] });
  });
});

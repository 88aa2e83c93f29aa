import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { localIssuer } from '../../cdk/local/auth/local-auth.ts';
import { type Operation, operations } from '../../lib/operations/index.ts';
import { scopes } from '../../lib/scopes.ts';
import { expectError } from '../support/expect-error.ts';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const now = () => Math.floor(Date.now() / 1000);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const claims = (changes: object = {}) => ({
  sub: 'staff',
  token_use: 'access',
  client_id: 'staff',
  iss: localIssuer,
  iat: now(),
  exp: now() + 600,
  scope: scopes.map(scope => `petstore/${scope}`).join(' '),
  ...changes,
});

const sign = (payload: object, key = petstore.tokenKey.privateKey) =>
  new SignJWT({ ...payload }).setProtectedHeader({ alg: 'RS256', kid: petstore.tokenKey.publicJwk.kid! }).sign(key);

const signHs256WithPublicKey = async () => {
  const key = createPublicKey({ key: petstore.tokenKey.publicJwk as JsonWebKey, format: 'jwk' });
  const spki = key.export({ type: 'spki', format: 'pem' });
  const input = `${encode({ alg: 'HS256', kid: petstore.tokenKey.publicJwk.kid })}.${encode(claims())}`;
  return `${input}.${createHmac('sha256', spki).update(input).digest('base64url')}`;
};

const tampered = async () => {
  const [header, , signature] = (await sign(claims({ scope: 'petstore/orders' }))).split('.');
  return [header, encode(claims()), signature].join('.');
};

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** Everything that is not a valid access token of this stage. */
const badTokens: Record<string, () => Promise<string | undefined>> = {
  'no token': async () => undefined,
  garbage: async () => 'garbage',
  'an expired token': () => sign(claims({ exp: now() - 1 })),
  'a token without exp': () => sign(claims({ exp: undefined })),
  'a token of another issuer': () =>
    sign(claims({ iss: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_other' })),
  'a token signed with another key': () => sign(claims(), otherKey),
  'a token with alg none': async () => `${encode({ alg: 'none' })}.${encode(claims())}.`,
  'a token signed by HS256 with the public key': signHs256WithPublicKey,
  'a token with changed claims': tampered,
  'an ID token': () => sign(claims({ token_use: 'id' })),
  'a token of another resource server': () => sign(claims({ scope: 'other/catalog' })),
};

/** A request with a valid token must not return 401 or 403. */
const isThrough = (status: number) => status !== 401 && status !== 403;

const call = (operation: Operation, token: string | undefined) => {
  const body = operation.request.body ? { body: {} } : {};
  return petstore.withToken(token)(operation.method, operation.path.replace(/{\w+}/, '4095'), body);
};

const all = Object.values(operations) as Operation[];

describe.each(all.filter(({ access }) => access !== 'public'))('$id', operation => {
  it.each(Object.keys(badTokens))('returns 401 for %s', async name => {
    const response = await call(operation, await badTokens[name]!());
    expectError(response, 401, 'unauthenticated');
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it.each(scopes)('accepts a token with only the scope %s, or returns 403, according to its access', async scope => {
    const response = await call(operation, await sign(claims({ scope: `petstore/${scope}` })));
    const allowed = scope === operation.access || (operation.access === 'orders' && scope === 'orders.manage');
    if (allowed) expect(isThrough(response.status), `${response.status}`).toBe(true);
    else expectError(response, 403, 'forbidden');
  });
});

describe.each(all.filter(({ access }) => access === 'public'))('$id', operation => {
  it.each(Object.keys(badTokens))('accepts %s, because it is public', async name => {
    expect(isThrough((await call(operation, await badTokens[name]!())).status)).toBe(true);
  });
});

describe('the owner of an order', () => {
  const mine = { scope: 'petstore/orders' };
  const ordersOf = async (token: object) => {
    const client = petstore.withToken(await sign(claims({ ...mine, ...token })));
    return (await client('GET', '/store/orders')).body.map(({ id }: { id: number }) => id);
  };
  const placeAs = async (token: object) => {
    const pet = await stockedPet(petstore.staff, 1);
    const client = petstore.withToken(await sign(claims({ ...mine, ...token })));
    return (await client('POST', '/store/orders', { body: { petId: pet.id } })).body.id;
  };

  it('is the client_id of the token, whatever its subject is', async () => {
    const id = await placeAs({ client_id: 'client-a', sub: 'subject-1' });
    expect(await ordersOf({ client_id: 'client-a', sub: 'subject-2' })).toEqual([id]);
    expect(await ordersOf({ client_id: 'client-b', sub: 'subject-1' })).toEqual([]);
  });

  it('is the subject of a token without a client_id', async () => {
    const id = await placeAs({ client_id: undefined, sub: 'subject-3' });
    expect(await ordersOf({ client_id: undefined, sub: 'subject-3' })).toEqual([id]);
    expect(await ordersOf({ client_id: undefined, sub: 'subject-4' })).toEqual([]);
  });
});

describe('a function whose method has no authorizer', () => {
  it('returns 401 without claims, for an ID token, and for a token that identifies no client or no user', async () => {
    vi.spyOn(console, 'info').mockReturnValue();
    process.env.TABLE_NAME = 'none';
    process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
    const { handler } = await import('../../functions/createCategory.ts');
    const requestContext = { requestId: 'r', path: '/pets/categories', domainName: 'h' };
    const scope = 'petstore/catalog';
    for (const authorizer of [
      undefined,
      { claims: { sub: 'staff', client_id: 'staff', token_use: 'id', scope } },
      { claims: { token_use: 'access', scope } },
      { claims: { client_id: 'staff', username: 'anna', token_use: 'access', scope } },
    ]) {
      const event = { requestContext: { ...requestContext, authorizer }, headers: null, multiValueHeaders: null };
      const response = await handler(event as never, { getRemainingTimeInMillis: () => 5_000 } as never);
      expect([response.statusCode, response.headers?.['WWW-Authenticate']]).toEqual([401, 'Bearer']);
    }
  });
});

describe('the local token issuer', () => {
  const post = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${petstore.url}/oauth2/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
    });
    return [response.status, await response.json()];
  };

  it('accepts credentials by HTTP Basic or as form fields, and narrows the scope', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'staff', client_secret: 'local' };
    const token = { access_token: expect.any(String), expires_in: 86_400, token_type: 'Bearer' };
    expect(await post(form)).toEqual([200, token]);
    const [status, { access_token: narrowed }] = (await post({ ...form, scope: 'petstore/catalog' })) as [
      number,
      { access_token: string },
    ];
    expect(status).toBe(200);
    expectError(
      await petstore.withToken(narrowed)('GET', '/store/orders'),
      ...([
        403,
        'forbidden',
        'The access token does not have the scope petstore/orders. Use a client with this scope.',
      ] as const),
    );
  });

  it('returns the errors of Cognito for a wrong scope, secret, client or grant type', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'shop', client_secret: 'local' };
    expect(await post({ ...form, scope: 'petstore/catalog' })).toEqual([400, { error: 'invalid_scope' }]);
    // With the same number of characters as the right one.
    for (const wrong of ['wrong', 'löcal'])
      expect(await post({ ...form, client_secret: wrong })).toEqual([400, { error: 'invalid_client' }]);
    expect(await post({ ...form, client_id: 'nobody' })).toEqual([400, { error: 'invalid_client' }]);
    expect(await post({ ...form, grant_type: 'password' })).toEqual([400, { error: 'unsupported_grant_type' }]);
  });

  it('allows every origin for POST, and returns 405 for other methods, OPTIONS included', async () => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'shop', client_secret: 'no' });
    const { headers } = await fetch(petstore.tokenUrl, { method: 'POST', body: form });
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    for (const method of ['GET', 'OPTIONS']) {
      const response = await fetch(petstore.tokenUrl, { method });
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([405, null]);
    }
  });

  it('publishes only the public part of its signing key', async () => {
    expect(Object.keys(petstore.tokenKey.publicJwk).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(await exportJWK(petstore.tokenKey.privateKey)).toHaveProperty('d');
    const published = await (await fetch(`${petstore.url}/.well-known/jwks.json`)).json();
    expect(published).toEqual({ keys: [petstore.tokenKey.publicJwk] });
  });
});

describe('the logs', () => {
  it('have one line per request, without any part of a token or a body', async () => {
    const token = await petstore.token('staff');
    const mark = petstore.logs.length;
    await petstore.withToken(token)('POST', '/pets/categories', { body: { name: 'Secret cats' } });
    await petstore.withToken(token)('POST', '/pets/categories', { body: { name: 7 } });
    await expect.poll(() => petstore.logs.slice(mark).join('').trim().split('\n').length).toBe(2);
    const text = petstore.logs.join('');
    expect(text).not.toContain('Secret cats');
    for (const part of token.split('.')) expect(text).not.toContain(part);
    const [first] = petstore.logs.slice(mark).join('').split('\n');
    expect(JSON.parse(first!)).toEqual({
      timestamp: expect.any(String),
      level: 'INFO',
      requestId: expect.any(String),
      message: {
        operation: 'createCategory',
        status: 201,
        durationMs: expect.any(Number),
        requestId: expect.any(String),
        ...{
          clientId: 'staff',
          dynamoDbCalls: 1,
          readUnits: 0,
          writeUnits: expect.any(Number),
          coldStart: expect.any(Boolean),
        },
      },
    });
  });
});

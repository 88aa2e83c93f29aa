import { generateKeyPairSync } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { localIssuer } from '../../cdk/local/auth/local-auth.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { scopes } from '../../lib/scopes.ts';
import { expectError } from '../support/expect-error.ts';
import { type Petstore, startPetstore, synthesizeShared } from '../support/petstore.ts';

const tokensValidFrom = '2026-11-01T12:00:00Z';
const validFrom = Date.parse(tokensValidFrom) / 1000;

let petstore: Petstore;
beforeAll(async () => {
  const assembly = await synthesizeShared({ stage: 'local', settings: { tokensValidFrom } });
  petstore = await startPetstore({ assembly });
});
afterAll(() => petstore.stop());

const tokenOf = (claims: object, key = petstore.tokenKey.privateKey) =>
  new SignJWT({
    ...{ sub: 'staff', client_id: 'staff', token_use: 'access', iss: localIssuer },
    ...{ scope: scopes.map(scope => `petstore/${scope}`).join(' '), exp: Math.floor(Date.now() / 1000) + 600 },
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: petstore.tokenKey.publicJwk.kid! })
    .sign(key);

/** Sends several Authorization headers; fetch cannot. */
const send = (...authorization: string[]) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
    const sent = request(`${petstore.url}/store/orders`, { headers: { Authorization: authorization } }, response => {
      response.resume();
      resolve({ status: response.statusCode!, headers: response.headers });
    });
    sent.on('error', reject).end();
  });

describe('with tokensValidFrom', () => {
  const operations = allOperations.filter(({ access }) => access !== 'public');

  it.each(operations)('$id returns 401 for a token that was issued before it', async ({ method, path }) => {
    const client = petstore.withToken(await tokenOf({ iat: validFrom - 1 }));
    const response = await client(method, path.replace(/{\w+}/, '4095'));
    expectError(
      response,
      401,
      'unauthenticated',
      `The access token was issued before ${tokensValidFrom}; get a new one.`,
    );
    // API Gateway renames the header when a function returns it.
    expect(response.headers.get('x-amzn-Remapped-WWW-Authenticate')).toBe('Bearer');
  });

  it.each(operations)('$id accepts a token that was issued at that second', async ({ method, path }) => {
    const client = petstore.withToken(await tokenOf({ iat: validFrom }));
    expect((await client(method, path.replace(/{\w+}/, '4095'))).status).not.toBe(401);
  });

  it('returns 401 for a token without a numeric iat', async () => {
    for (const iat of [undefined, null, 'today', String(validFrom)])
      expect((await petstore.withToken(await tokenOf({ iat }))('GET', '/store/orders')).status, String(iat)).toBe(401);
  });

  it('accepts a new token of the token endpoint', async () => {
    expect((await petstore.staff('GET', '/store/orders')).status).toBe(200);
  });

  it('public operations accept an older token', async () => {
    const old = petstore.withToken(await tokenOf({ iat: validFrom - 1 }));
    expect((await old('GET', '/pets')).status).toBe(200);
  });

  it('returns 401 when the token that the gateway verified is older, whatever else the header has', async () => {
    const old = await tokenOf({ iat: validFrom - 1 });
    const forged = await tokenOf({ iat: validFrom }, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
    const [header, payload, signature] = old.split('.');
    const [, forgedPayload] = forged.split('.');
    for (const authorization of [
      [`Bearer ${old}`],
      [old],
      [`bearer  ${old} `],
      [`Bearer ${forged}`, `Bearer ${old}`],
      [`Bearer ${old}`, `Bearer ${forged}`],
      [`Bearer ${old}, Bearer ${forged}`],
      [`Bearer ${forged}, Bearer ${old}`],
      [`Bearer ${header}.${forgedPayload}.${signature}`],
      [`Bearer ${header}.${payload}.${forgedPayload}.${signature}`],
    ])
      expect((await send(...authorization)).status, String(authorization)).toBe(401);
  });

  it.each(['Bearer ', 'bearer ', ''])('accepts a new token after "%s", as the gateway does', async scheme => {
    expect((await send(scheme + (await tokenOf({ iat: validFrom })))).status).toBe(200);
  });
});

describe('without tokensValidFrom', () => {
  it('no function has the variable', async () => {
    const { template } = await synthesizeShared({ stage: 'prod', settings: withOwnTable });
    expect(JSON.stringify(template)).not.toContain('TOKENS_VALID_FROM');
  });
});

describe('the variable of tokensValidFrom', () => {
  it('is in the functions that need a token, and in no other', async () => {
    const { template } = await synthesizeShared({ stage: 'local', settings: { tokensValidFrom } });
    const withVariable = Object.entries(template.Resources)
      .filter(([, { Properties }]) => Properties?.Environment?.Variables?.TOKENS_VALID_FROM === tokensValidFrom)
      .map(([id]) => id.replace(/Function.{8}$/, ''));
    const protectedIds = allOperations.filter(({ access }) => access !== 'public').map(({ id }) => id as string);
    expect(withVariable.sort()).toEqual(protectedIds.sort());
  });
});

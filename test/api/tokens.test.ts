import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { request } from 'node:http';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { localIssuer } from '../../cdk/local/auth/local-auth.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { scopes } from '../../lib/scopes.ts';
import { expectError } from '../support/expect-error.ts';
import { sharedAssembly, synthesizeShared, usePetstore } from '../support/petstore.ts';

const tokensValidFrom = '2026-11-01T12:00:00Z';
const validFrom = Date.parse(tokensValidFrom) / 1000;
const petstore = usePetstore({ assembly: await synthesizeShared({ stage: 'local', settings: { tokensValidFrom } }) });

const now = () => Math.floor(Date.now() / 1000);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

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

/** A token with all scopes, with changed claims. */
const tokenWith = (changes?: object, key = petstore.tokenKey.privateKey) =>
  new SignJWT(claims(changes)).setProtectedHeader({ alg: 'RS256', kid: petstore.tokenKey.publicJwk.kid! }).sign(key);

const signHs256WithPublicKey = async () => {
  const key = createPublicKey({ key: petstore.tokenKey.publicJwk as JsonWebKey, format: 'jwk' });
  const spki = key.export({ type: 'spki', format: 'pem' });
  const input = `${encode({ alg: 'HS256', kid: petstore.tokenKey.publicJwk.kid })}.${encode(claims())}`;
  return `${input}.${createHmac('sha256', spki).update(input).digest('base64url')}`;
};

const tampered = async () => {
  const [header, , signature] = (await tokenWith({ scope: 'petstore/orders' })).split('.');
  return [header, encode(claims()), signature].join('.');
};

/** Everything that is not a valid access token of this stage. */
const badTokens: [string, () => Promise<string | undefined>][] = [
  ['no token', async () => undefined],
  ['garbage', async () => 'garbage'],
  ['an expired token', () => tokenWith({ exp: now() - 1 })],
  ['a token without exp', () => tokenWith({ exp: undefined })],
  ['a token of another issuer', () => tokenWith({ iss: localIssuer.replace('local', 'other') })],
  ['a token signed with another key', () => tokenWith({}, otherKey)],
  ['a token with alg none', async () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
  ['a token signed by HS256 with the public key', signHs256WithPublicKey],
  ['a token with changed claims', tampered],
  ['an ID token', () => tokenWith({ token_use: 'id' })],
  ['a token of another resource server', () => tokenWith({ scope: 'other/catalog' })],
];

it.each(badTokens)('%s is no token', async (_, token) => {
  const response = await petstore.withToken(await token())('GET', '/store/orders');
  expectError(response, 401, 'unauthenticated');
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
});

describe.each(allOperations.filter(({ access }) => access === 'public'))('$id', ({ method, path }) => {
  const oldToken = () => tokenWith({ iat: validFrom - 1 });
  it.each([...badTokens, ['an old token', oldToken] as const])('accepts %s, because it is public', async (_, token) => {
    const response = await petstore.withToken(await token())(method, path.replace(/{\w+}/, '4095'));
    expect([200, 404]).toContain(response.status);
  });
});

describe('a stage with tokensValidFrom', () => {
  /** The status for these Authorization headers; fetch cannot send several. */
  const statusFor = (...authorization: string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { Authorization: authorization };
      const sent = request(`${petstore.url}/store/orders`, { headers }, response => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });

  it.each(['Bearer ', 'bearer ', ''])('accepts a token of that second after “%s”', async scheme => {
    expect(await statusFor(scheme + (await tokenWith({ iat: validFrom })))).toBe(200);
  });

  it('accepts a new token of the token endpoint', async () => {
    expect((await petstore.staff('GET', '/store/orders')).status).toBe(200);
  });

  it.each([undefined, validFrom - 1])('rejects the iat %j', async iat => {
    const response = await petstore.withToken(await tokenWith({ iat }))('GET', '/store/orders');
    expectError(response, 401, 'unauthenticated', /was issued before 2026-11-01T12:00:00Z/);
    // API Gateway renames the header of a function.
    expect(response.headers.get('x-amzn-Remapped-WWW-Authenticate')).toBe('Bearer');
  });

  it('rejects an older token that the gateway verified, whatever else the header has', async () => {
    const old = await tokenWith({ iat: validFrom - 1 });
    const forged = await tokenWith({ iat: validFrom }, otherKey);
    const [header, payload, signature] = old.split('.');
    const [, forgedPayload] = forged.split('.');
    for (const authorization of [
      [old],
      [`bearer  ${old} `],
      [`Bearer ${forged}`, `Bearer ${old}`],
      [`Bearer ${old}`, `Bearer ${forged}`],
      [`Bearer ${old}, Bearer ${forged}`],
      [`Bearer ${forged}, Bearer ${old}`],
      [`Bearer ${header}.${forgedPayload}.${signature}`],
      [`Bearer ${header}.${payload}.${forgedPayload}.${signature}`],
    ])
      expect(await statusFor(...authorization), String(authorization)).toBe(401);
  });
});

describe('a stage without tokensValidFrom', () => {
  it('has it in no function', () => {
    expect(JSON.stringify(sharedAssembly().template)).not.toContain('TOKENS_VALID_FROM');
  });
});

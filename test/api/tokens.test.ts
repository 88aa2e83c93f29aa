import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { localIssuer } from '../../cdk/local/auth/tokens.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { scopes } from '../../lib/scopes.ts';
import { expectError } from '../support/expect-error.ts';
import { usePetstore } from '../support/petstore.ts';

const tokensValidFrom = '2026-11-01T12:00:00Z';
const validFrom = Date.parse(tokensValidFrom) / 1000;
const petstore = usePetstore({
  environment: { RETRY_BUDGET_MS: '1', TOKENS_VALID_FROM: tokensValidFrom },
});

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

/** A token with all scopes and changed claims. */
const tokenWith = (changes?: object, key = petstore.tokenKey.privateKey) =>
  new SignJWT(claims(changes))
    .setProtectedHeader({ alg: 'RS256', kid: petstore.tokenKey.publicJwk.kid! })
    .sign(key);

it.each<[string, () => Promise<string>]>([
  ['an expired token', () => tokenWith({ exp: now() - 1 })],
  ['a token without exp', () => tokenWith({ exp: undefined })],
  ['a token of another issuer', () => tokenWith({ iss: localIssuer.replace('local', 'other') })],
  ['a token signed with another key', () => tokenWith({}, otherKey)],
  ['a token with alg none', async () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
  ['an ID token', () => tokenWith({ token_use: 'id' })],
  ['a token of another resource server', () => tokenWith({ scope: 'other/catalog' })],
])('%s is no token', async (_, token) => {
  const response = await petstore.withToken(await token())('GET', '/store/orders');
  expectError(response, 401, 'unauthenticated');
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="petstore"');
});

it.each(allOperations.filter(({ access }) => access === 'public'))(
  '$id is public, so any token will do',
  async operation => {
    for (const token of [
      'garbage',
      await tokenWith({ exp: now() - 1 }),
      await tokenWith({ iat: validFrom - 1 }),
    ]) {
      const response = await petstore.withToken(token)(
        operation.method,
        operation.path.replace(/{\w+}/, '4095'),
      );
      expect([200, 404]).toContain(response.status);
    }
  },
);

import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { createAuthorizer } from '../../../cdk/local/auth/authorizer.ts';
import { loadSigningKey } from '../../../cdk/local/auth/signing-key.ts';

const issuer = 'https://example.com/pool';
const scope = 'petstore/orders';
const key = await loadSigningKey();
let time = Date.now();
const seconds = () => Math.floor(time / 1000);
const sign = (claims: object) =>
  new SignJWT({ sub: 'shop', token_use: 'access', scope, iss: issuer, exp: seconds() + 600, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: key.publicJwk.kid! })
    .sign(key.privateKey);
const authorize = createAuthorizer(issuer, key.publicJwk, () => time);

it('a token that was verified before is accepted until it expires, for its own scopes', async () => {
  const token = `Bearer ${await sign({ exp: seconds() + 2 })}`;
  const claims = await authorize(token, [scope]);
  claims!.scope = 'petstore/catalog';
  expect(await authorize(token, ['petstore/catalog'])).toBeUndefined();
  time += 1_000;
  expect((await authorize(token, [scope]))?.scope).toBe(scope);
  time += 1_000;
  expect(await authorize(token, [scope])).toBeUndefined();
});

it('a token that was verified before does not vouch for its claims with another signature', async () => {
  const [token, other] = [await sign({}), await sign({ sub: 'staff' })];
  for (const verified of [token, other]) expect(await authorize(`Bearer ${verified}`, [scope])).toBeDefined();
  const forged = [...token.split('.').slice(0, 2), other.split('.')[2]].join('.');
  expect(await authorize(`Bearer ${forged}`, [scope])).toBeUndefined();
});

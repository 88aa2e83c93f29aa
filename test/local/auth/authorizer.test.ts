import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createAuthorizer } from '../../../cdk/local/auth/authorizer.ts';
import { loadSigningKey } from '../../../cdk/local/auth/signing-key.ts';

const issuer = 'https://example.com/pool';
const scope = 'petstore/orders';
const key = await loadSigningKey();
let time = Date.now();

const seconds = () => Math.floor(time / 1000);

const sign = (claims: object = {}) =>
  new SignJWT({ sub: 'shop', token_use: 'access', scope, iss: issuer, exp: seconds() + 600, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: key.publicJwk.kid! })
    .sign(key.privateKey);

const authorize = createAuthorizer(issuer, key.publicJwk, () => time);

describe('a token that was verified before', () => {
  it('is accepted until it expires', async () => {
    const token = `Bearer ${await sign({ exp: seconds() + 2 })}`;
    expect((await authorize(token, [scope]))?.sub).toBe('shop');
    time += 1_000;
    expect((await authorize(token, [scope]))?.sub).toBe('shop');
    time += 1_000;
    expect(await authorize(token, [scope])).toBeUndefined();
  });

  it('needs one of the scopes of each method', async () => {
    const token = `Bearer ${await sign()}`;
    expect(await authorize(token, [scope])).toBeDefined();
    expect(await authorize(token, ['petstore/catalog'])).toBeUndefined();
    expect(await authorize(token, [scope])).toBeDefined();
  });

  it('is no reason to accept its claims with another signature', async () => {
    const token = await sign();
    const other = await sign({ sub: 'staff' });
    expect(await authorize(`Bearer ${token}`, [scope])).toBeDefined();
    expect(await authorize(`Bearer ${other}`, [scope])).toBeDefined();
    const forged = [...token.split('.').slice(0, 2), other.split('.')[2]].join('.');
    expect(await authorize(`Bearer ${forged}`, [scope])).toBeUndefined();
  });

  it('does not pass its claims by reference', async () => {
    const token = `Bearer ${await sign()}`;
    const claims = await authorize(token, [scope]);
    claims!.scope = 'petstore/catalog';
    expect((await authorize(token, [scope]))?.scope).toBe(scope);
  });
});

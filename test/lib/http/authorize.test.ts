import { afterEach, expect, it, vi } from 'vitest';
import { authorize } from '../../../lib/http/authorize.ts';
import { operations } from '../../../lib/operations/index.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Authorizes a request whose token has this payload. The gateway has verified its claims. */
const authorized = (payload: object) => {
  vi.stubEnv('TOKENS_VALID_FROM', '2026-11-01T12:00:00Z');
  const token = `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
  const claims = { client_id: 'shop', sub: 'shop', token_use: 'access', scope: 'petstore/orders' };
  const event = {
    multiValueHeaders: { Authorization: [`Bearer ${token}`] },
    requestContext: { authorizer: { claims } },
  };
  return () => authorize(operations.listOrders).before!({ event } as never);
};

const validFrom = Date.parse('2026-11-01T12:00:00Z') / 1000;

it('accepts a token that was issued at tokensValidFrom', () => {
  expect(authorized({ iat: validFrom })).not.toThrow();
});

// The local authorizer rejects such tokens before the function; nobody knows whether the one of API Gateway does.
it.each([String(validFrom), null, [validFrom], true])('rejects a token whose time of issue is %j', iat => {
  expect(authorized({ iat })).toThrow(/was issued before/);
});

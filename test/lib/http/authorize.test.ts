import { afterEach, expect, it, vi } from 'vitest';
import { authorize } from '../../../lib/http/authorize.ts';
import { operations } from '../../../lib/operations/index.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Authorizes a request whose token has this payload. The gateway has verified its claims. */
const authorized = (payload: object, format = (token: string) => `Bearer ${token}`) => {
  vi.stubEnv('TOKENS_VALID_FROM', '2026-11-01T12:00:00Z');
  const token = `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
  const claims = { client_id: 'shop', sub: 'shop', token_use: 'access', scope: 'petstore/orders' };
  const event = {
    multiValueHeaders: { Authorization: [format(token)] },
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

it.each<[string, (token: string) => string]>([
  ['without a scheme', token => token],
  ['with a scheme in lower case', token => `bearer ${token}`],
  ['with white space around the token', token => `Bearer  ${token} `],
])('accepts an Authorization header %s', (_, format) => {
  expect(authorized({ iat: validFrom }, format)).not.toThrow();
});

it.each<[string, (token: string) => string]>([
  ['another scheme', token => `Basic ${token}`],
  ['text after the token', token => `Bearer ${token} x`],
  ['a token of two parts', token => `Bearer ${token.slice(0, token.lastIndexOf('.'))}`],
])('rejects an Authorization header with %s', (_, format) => {
  expect(authorized({ iat: validFrom }, format)).toThrow(/was issued before/);
});

it('names the required scope in the message', () => {
  const claims = { client_id: 'shop', token_use: 'access', scope: 'petstore/catalog' };
  const event = { multiValueHeaders: null, requestContext: { authorizer: { claims } } };
  expect(() => authorize(operations.updateOrder).before!({ event } as never)).toThrow(
    expect.objectContaining({
      name: 'forbidden',
      message: 'The access token does not have the scope petstore/orders.manage. Use a client with this scope.',
    }),
  );
});

import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Scope } from '../scopes.ts';

/** API Gateway's format 1.0, with the handler's input, which the chain adds. */
export type GatewayEvent = APIGatewayProxyEvent & { input?: unknown };
export type ProxyResult = APIGatewayProxyResult;

/** According to the claims that the gateway's authorizer verified. */
export interface Caller {
  /** The OAuth client of the token. `anonymous` without a token. */
  readonly clientId: string;
  /** Owns the caller's orders and idempotency keys: the user of the token, or else the client. */
  readonly ownerId: string;
  readonly may: (scope: Scope) => boolean;
}

/** Values that one middleware sets for another. */
type Internal = {
  /** From `performance.now()`. */
  startedAt: number;
  caller: Caller;
  errorCode?: string;
};
export type Middleware = middy.MiddlewareObj<GatewayEvent, ProxyResult, Error, Context, Internal>;

/** Undefined when the header is absent. */
export const headerValues = (event: GatewayEvent, name: string): string[] | undefined => {
  const values = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === name.toLowerCase())
    .flatMap(([, list]) => list ?? []);
  return values.length > 0 ? values : undefined;
};

/** API Gateway leaves path parameters percent-encoded. A malformed one stays unchanged, because no schema accepts it. */
export const pathParametersOf = (event: GatewayEvent): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([name, value = '']) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        return [name, value];
      }
    }),
  );

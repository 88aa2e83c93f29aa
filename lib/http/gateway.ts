import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';

/** API Gateway's proxy event, format 1.0, with the handler's input, which the chain adds. */
export type GatewayEvent = APIGatewayProxyEvent & { input?: unknown };
export type ProxyResult = APIGatewayProxyResult;

/** Values that one middleware sets for another. */
type Internal = {
  /** The start of the request, from `performance.now()`. */
  startedAt: number;
  /** The `code` of the error in the response. */
  errorCode?: string;
};
export type Middleware = middy.MiddlewareObj<GatewayEvent, ProxyResult, Error, Context, Internal>;

/** All values of a request header, in any case. Undefined when it is absent. */
export const headerValues = (event: GatewayEvent, name: string): string[] | undefined => {
  const values = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === name.toLowerCase())
    .flatMap(([, list]) => list ?? []);
  return values.length > 0 ? values : undefined;
};

/**
 * Decodes path parameters, which API Gateway leaves percent-encoded. No schema accepts a malformed one, which stays unchanged.
 */
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

import { environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { baseUrl, fill } from './base-url.ts';
import { type GatewayEvent, type Middleware, pathParametersOf } from './gateway.ts';

/** Leaves out invalid path parameters, because they can be long, and a header must not grow with the request. */
const successorUrl = (event: GatewayEvent, request: Operation['request'], successor: string) => {
  const parameters = pathParametersOf(event);
  const isValid = request.path?.safeParse(parameters).success;
  return baseUrl(event) + (isValid ? fill(successor, parameters) : successor.split('?')[0]);
};

/**
 * Adds Deprecation (RFC 9745), Sunset (RFC 8594) and Link rel="successor-version" to every response of the function of a
 * deprecated operation, also to errors. With `enforceSunset`, the operation returns 410 after the sunset.
 * @param now the clock, in milliseconds since the epoch
 */
export const applyLifeCycle = (operation: Operation, now: () => number = Date.now): Middleware => {
  const { deprecated, request } = operation;
  if (!deprecated) return { before: () => undefined };
  const deprecatedAt = Date.parse(`${environment.deprecatedOn}T00:00:00Z`);
  const sunsetAt = Date.parse(`${environment.sunsetOn}T23:59:59Z`);

  const addHeaders: Middleware['after'] = ({ event, response }) => {
    Object.assign(response?.headers ?? {}, {
      Deprecation: `@${deprecatedAt / 1000}`,
      Sunset: new Date(sunsetAt).toUTCString(),
      Link: `<${successorUrl(event, request, deprecated.successor)}>; rel="successor-version"`,
    });
  };

  return {
    before: () => {
      if (environment.enforceSunset && now() > sunsetAt) throw new ApiError('gone');
    },
    after: addHeaders,
    onError: addHeaders,
  };
};

import { environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { baseUrl, fill } from './base-url.ts';
import { type GatewayEvent, type Middleware, pathParametersOf } from './gateway.ts';

/**
 * The operation's successor with the path parameters of this request. What the operation does not take is not repeated,
 * or a header could grow as long as a path: then the link leads to the successor without its query.
 */
const successorUrl = (event: GatewayEvent, request: Operation['request'], successor: string) => {
  const parameters = pathParametersOf(event);
  const isTaken = request.path?.safeParse(parameters).success;
  return baseUrl(event) + (isTaken ? fill(successor, parameters) : successor.split('?')[0]);
};

/**
 * Every answer of a deprecated operation says since when, until when and what follows: Deprecation (RFC 9745), Sunset
 * (RFC 8594), Link successor-version (RFC 5829). Past the sunset it goes on, unless the deployment enforces it: then 410.
 * @param now the clock, in milliseconds since the epoch
 */
export const announceLifeCycle = (operation: Operation, now: () => number = Date.now): Middleware => {
  const { deprecated, request } = operation;
  if (!deprecated) return { before: () => undefined };
  const deprecatedAt = Date.parse(`${environment.deprecatedOn}T00:00:00Z`);
  const sunsetAt = Date.parse(`${environment.sunsetOn}T23:59:59Z`);

  const announce: Middleware['after'] = ({ event, response }) => {
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
    after: announce,
    onError: announce,
  };
};

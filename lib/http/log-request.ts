import { environment } from '../environment.ts';
import { log, millisecondsSince } from '../log.ts';
import type { Operation } from '../operations/operation.ts';
import { requestContext } from '../request-context.ts';
import { callerOf } from './authorize.ts';
import { errorChainOf, isThrottled } from './error-chain.ts';
import type { GatewayEvent, Middleware } from './gateway.ts';

/** Callers of a deprecated public operation have no client id. */
const anonymousCaller = ({ requestContext: { identity } }: GatewayEvent) => ({
  sourceIp: identity?.sourceIp,
  userAgent: identity?.userAgent?.slice(0, 200),
});

/**
 * Writes one structured line per request, without bodies. From status 500 up, the line has the causes of the error and the level
 * ERROR.
 */
export const logRequest = (operation: Operation): Middleware => {
  const writeLine: Middleware['after'] = ({ event, response, internal, error }) => {
    const { startedAt, errorCode } = internal;
    const { clientId, ownerId } = internal.caller;
    const status = response?.statusCode ?? 500;
    log(status >= 500 ? 'error' : 'info', {
      operation: operation.id,
      status,
      ...(errorCode && { code: errorCode }),
      durationMs: millisecondsSince(startedAt),
      requestId: event.requestContext.requestId,
      clientId,
      ...(ownerId !== clientId && { ownerId }),
      ...requestContext().subject,
      ...requestContext().consumption,
      ...(operation.deprecated && { deprecated: true, ...anonymousCaller(event) }),
      ...(status === 503 && isThrottled(error) && { throttled: true }),
      ...(status === 500 && { build: environment.build }),
      ...(status >= 500 && { error: errorChainOf(error, status === 500) }),
    });
  };

  return {
    before: ({ event, internal }) => {
      internal.startedAt = performance.now();
      internal.caller = callerOf(event);
    },
    after: writeLine,
    onError: writeLine,
  };
};

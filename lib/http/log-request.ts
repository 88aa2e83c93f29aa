import { environment } from '../environment.ts';
import type { Operation } from '../operations/operation.ts';
import { requestContext } from '../request-context.ts';
import { callerOf } from './authorize.ts';
import { errorChainOf, isThrottled } from './error-chain.ts';
import type { GatewayEvent, Middleware } from './gateway.ts';

let coldStart = true;

/** Identifies callers of a deprecated public operation, who have no client id. */
const anonymousCaller = ({ requestContext: { identity } }: GatewayEvent) => ({
  sourceIp: identity?.sourceIp,
  userAgent: identity?.userAgent?.slice(0, 200),
});

/**
 * Writes one structured line per request, without bodies. An error has its code, and from 500 up level ERROR and its
 * causes. Lambda's JSON format nests the object under `message`.
 */
export const logRequest = (operation: Operation): Middleware => {
  const log: Middleware['after'] = ({ event, response, internal, error }) => {
    const { startedAt, errorCode } = internal;
    const { clientId, ownerId } = callerOf(event);
    const status = response?.statusCode ?? 500;
    const write = status >= 500 ? console.error : console.info;
    write({
      operation: operation.id,
      status,
      ...(errorCode && { code: errorCode }),
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: event.requestContext.requestId,
      clientId,
      ...(ownerId !== clientId && { ownerId }),
      ...requestContext().consumption,
      coldStart,
      ...(operation.deprecated && { deprecated: true, ...anonymousCaller(event) }),
      ...(status === 503 && isThrottled(error) && { throttled: true }),
      ...(status === 500 && { build: environment.build }),
      ...(status >= 500 && { error: errorChainOf(error, status === 500) }),
    });
    coldStart = false;
  };

  return {
    before: ({ internal }) => {
      internal.startedAt = performance.now();
    },
    after: log,
    onError: log,
  };
};

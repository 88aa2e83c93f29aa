import { consumption, startCounting } from '../consumption.ts';
import type { Operation } from '../operations/operation.ts';
import { callerOf } from './authorise.ts';
import type { Middleware } from './gateway.ts';

let coldStart = true;

/** One structured line per request, never a body. Lambda's JSON format nests the object under `message`. */
export const logRequest = (operation: Operation): Middleware => {
  const log: Middleware['after'] = ({ event, response, internal }) => {
    const { startedAt } = internal as { startedAt: number };
    console.info({
      operation: operation.id,
      status: response?.statusCode,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: event.requestContext.requestId,
      caller: callerOf(event).id,
      ...consumption(),
      coldStart,
      ...(operation.deprecated && { deprecated: true }),
    });
    coldStart = false;
  };

  return {
    before: ({ internal }) => {
      Object.assign(internal, { startedAt: performance.now() });
      startCounting();
    },
    after: log,
    onError: log,
  };
};

import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { withinRequest } from '../request-context.ts';
import { applyLifeCycle } from './apply-life-cycle.ts';
import { authorize } from './authorize.ts';
import type { GatewayEvent, ProxyResult } from './gateway.ts';
import type { HandlerResult } from './handler-result.ts';
import type { Input } from './input.ts';
import { logRequest } from './log-request.ts';
import { mapErrors } from './map-errors.ts';
import { parseRequest } from './parse-request.ts';
import { serializeResponse } from './serialize-response.ts';

// Zod's compiled parsers are faster only after many calls.
z.config({ jitless: true });

const { gracePeriod } = environment;

/**
 * Middy responds this many milliseconds before Lambda's timeout. By then, the model's calls to DynamoDB have ended: their
 * deadline is `gracePeriod` (500 ms) before the timeout.
 */
const timeoutEarlyInMillis = 250;

const timeoutEarlyResponseOf = (operation: Operation) => () => {
  throw new ApiError(operation.method === 'GET' ? 'try_again' : 'outcome_unknown', undefined, {
    cause: new Error('The handler did not end before its deadline.'),
  });
};

/**
 * The order of the chain is the order of checks in the contract. After the handler, Middy runs it in reverse, so `logRequest`
 * runs last and logs the final status.
 */
export const handle =
  <O extends Operation>(operation: O) =>
  (handler: (input: Input<O>) => Promise<HandlerResult<O>>) => {
    const timeoutEarlyResponse = timeoutEarlyResponseOf(operation);
    const serialize = serializeResponse(operation);
    const chain = middy<GatewayEvent, ProxyResult>({ timeoutEarlyInMillis, timeoutEarlyResponse })
      .use(logRequest(operation))
      .use(applyLifeCycle(operation))
      .use(mapErrors(operation))
      .use(authorize(operation))
      .use(parseRequest(operation))
      .handler(async (event: GatewayEvent) => {
        const input = event.input as Input<O>;
        return serialize(await handler(input), event, input);
      });
    return (event: GatewayEvent, context: Context): Promise<ProxyResult> =>
      withinRequest(context.getRemainingTimeInMillis() - gracePeriod, () => chain(event, context));
  };

import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { withinRequest } from '../request-context.ts';
import { announceLifeCycle } from './announce-life-cycle.ts';
import type { Answer } from './answer.ts';
import { authorize } from './authorize.ts';
import type { GatewayEvent, ProxyResult } from './gateway.ts';
import type { Input } from './input.ts';
import { logRequest } from './log-request.ts';
import { mapErrors } from './map-errors.ts';
import { parseRequest } from './parse-request.ts';
import { serialiseResponse } from './serialise-response.ts';

// Compiling a parser pays after many calls; a cold start makes one.
z.config({ jitless: true });

const { gracePeriod } = environment;

/**
 * So long before Lambda cuts the function off, in milliseconds, Middy answers for work that did not end by itself. By then
 * the model sends nothing any more.
 */
const timeoutEarlyInMillis = 250;

const timeoutEarlyResponse = () => {
  throw new ApiError('outcome_unknown', undefined, { cause: new Error('The work did not end by its deadline') });
};

/**
 * Wraps a business sentence into the chain of an operation. The order is the contract's order of checks; on the way back
 * it reverses, so the log line sees what the caller sees.
 */
export const handle =
  <O extends Operation>(operation: O) =>
  (sentence: (input: Input<O>) => Promise<Answer<O>>) => {
    const chain = middy<GatewayEvent, ProxyResult>({ timeoutEarlyInMillis, timeoutEarlyResponse })
      .use(logRequest(operation))
      .use(announceLifeCycle(operation))
      .use(mapErrors(operation))
      .use(authorize(operation))
      .use(parseRequest(operation))
      .use(serialiseResponse(operation))
      .handler((async (event: GatewayEvent) => sentence(event.input as Input<O>)) as never);
    return (event: GatewayEvent, context: Context): Promise<ProxyResult> =>
      withinRequest(context.getRemainingTimeInMillis() - gracePeriod, () => chain(event, context));
  };

import type { Operation } from '../operations/operation.ts';
import type { GatewayEvent, GatewayResponse } from './gateway.ts';
import { commonHeaders } from './headers.ts';

type Headers = Record<string, string>;

/** A proxy response with the headers that every answer carries. `undefined` is no body; a string is sent as it is. */
export const respond = (
  operation: Operation,
  event: GatewayEvent,
  status: number,
  body: unknown,
  headers: Headers,
): GatewayResponse => ({
  statusCode: status,
  headers: {
    'Content-Type': 'application/json',
    'Cache-Control': operation.path.startsWith('/store') ? 'no-store' : 'no-cache',
    'X-Request-Id': event.requestContext.requestId,
    ...commonHeaders,
    ...(operation.stability && { 'X-Stability-Level': operation.stability }),
    ...headers,
  },
  body: typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body),
});

import { cacheControlOf, type Operation } from '../operations/operation.ts';
import { commonHeaders } from './common-headers.ts';
import type { GatewayEvent, ProxyResult } from './gateway.ts';

type Headers = Readonly<Record<string, string>>;

/** A string is sent unchanged. */
export const respond = (
  operation: Operation,
  event: GatewayEvent,
  { status, body, headers }: { status: number; body?: unknown; headers: Headers },
): ProxyResult => ({
  statusCode: status,
  headers: {
    'Content-Type': 'application/json',
    'Cache-Control': cacheControlOf(operation),
    'X-Request-Id': event.requestContext.requestId,
    ...commonHeaders,
    ...(operation.stability && { 'X-Stability-Level': operation.stability }),
    ...headers,
  },
  body: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
});

import type { ApiResponse } from '../../../cdk/commands/verify/send.ts';
import { commonHeaders } from '../../../lib/http/common-headers.ts';

/** A response of a function, for checks of verify. Text is sent as it is; anything else is JSON. A header that is undefined is absent. */
export const respond = (
  status: number,
  body: unknown,
  headers: Record<string, string | undefined> = {},
): ApiResponse => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    ...commonHeaders,
    'Cache-Control': 'no-store',
    'x-amzn-RequestId': 'id',
    'X-Request-Id': 'id',
    ...headers,
  };
  const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    status,
    headers: new Headers(present),
    text,
    body: typeof body === 'string' ? undefined : body,
    milliseconds: 1,
  };
};

import { expect } from 'vitest';
import type { ApiResponse } from './petstore.ts';

/** Also asserts the common headers. */
export const expectError = (
  response: ApiResponse,
  status: number,
  code: string,
  message: string | RegExp = /./,
) => {
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  expect([response.status, response.body]).toEqual([status, { code, status, message: text }]);
  expectCommonHeaders(response);
};

/** Functions and the gateway send these headers with every response. */
export const expectCommonHeaders = ({ headers }: ApiResponse) => {
  expect(headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(headers.get('Access-Control-Expose-Headers')?.split(',')).toEqual(
    expect.arrayContaining([
      'ETag',
      'Link',
      'Location',
      'Retry-After',
      'X-Request-Id',
      'Idempotent-Replayed',
    ]),
  );
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Strict-Transport-Security')).toBe('max-age=63072000');
  expect(headers.get('Cache-Control')).toMatch(/^no-(cache|store)$/);
};

import { expect } from 'vitest';
import type { ApiResponse } from './petstore.ts';

const statusText = (response: ApiResponse) => `${response.status} ${JSON.stringify(response.body)}`;

/** Asserts the whole Error object (its three fields, the status of the response) and the common headers. */
export const expectError = (response: ApiResponse, status: number, code: string, message?: string | RegExp) => {
  const { code: actual, message: text, status: inBody } = response.body;
  expect(
    { status: response.status, code: actual, inBody, fields: Object.keys(response.body).sort() },
    statusText(response),
  ).toEqual({
    status,
    code,
    inBody: status,
    fields: ['code', 'message', 'status'],
  });
  if (message !== undefined)
    expect(text).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  expectCommonHeaders(response);
};

/** The headers of every response, from a function or from the gateway. */
export const expectCommonHeaders = ({ headers }: ApiResponse) => {
  expect(headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(headers.get('Access-Control-Expose-Headers')?.split(',')).toEqual(
    expect.arrayContaining(['ETag', 'Link', 'Location', 'Retry-After', 'X-Request-Id', 'Idempotent-Replayed']),
  );
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Strict-Transport-Security')).toBe('max-age=63072000');
  expect(headers.get('Cache-Control')).toMatch(/^no-(cache|store)$/);
};

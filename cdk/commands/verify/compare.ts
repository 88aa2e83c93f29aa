import { type ErrorName, errors, headersOf, toBody } from '../../../lib/errors.ts';
import { commonHeaders } from '../../../lib/http/common-headers.ts';
import type { Expected } from './check.ts';
import type { ApiResponse } from './send.ts';

const shorten = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

const headerDifference = (headers: Headers, name: string, wanted: string | RegExp | null): string | undefined => {
  const value = headers.get(name);
  if (wanted === null) return value === null ? undefined : `the header ${name} is present: ${shorten(value)}`;
  if (value === null) return `the header ${name} is missing`;
  if (wanted instanceof RegExp) return wanted.test(value) ? undefined : `${name} is ${shorten(value)}, not ${wanted}`;
  return value === wanted ? undefined : `${name} is ${shorten(value)}, not ${wanted}`;
};

/** A proxy may add to Vary (RFC 9110, section 12.5.5). */
const { Vary, ...fixedHeaders } = commonHeaders;

const common: Expected['headers'] = {
  ...fixedHeaders,
  Vary: new RegExp(`\\b${Vary}\\b`, 'i'),
  'Cache-Control': /^no-(?:store|cache)$/,
  'x-amzn-RequestId': /./,
};

/** Compares the Error object and its headers. Only a message of the gateway is fixed. */
const errorDifferences = (
  { headers, text, body }: ApiResponse,
  name: ErrorName,
  by: Expected['by'],
): (string | undefined)[] => {
  const { code, status, message } = toBody(name);
  const own = Object.entries(headersOf(name)).map(([header, value]) => headerDifference(headers, header, value));
  if (text === '') return own;
  const isError = body?.code === code && body.status === status && typeof body.message === 'string';
  return [
    ...own,
    isError ? undefined : `the body is not an Error with the code ${code} and the status ${status}: ${shorten(text)}`,
    isError && by === 'gateway' && body.message !== message ? `the message is "${body.message}"` : undefined,
  ];
};

/** The headers of every response of a deprecated operation. */
export const lifeCycleHeaders = { Deprecation: /^@\d+$/, Sunset: /GMT$/, Link: /rel="successor-version"/ };

/** The response after the sunset, if the stage enforces it. */
export const gone: Expected = { error: 'gone', headers: lifeCycleHeaders };

/** Whether the stage ended the operation, which it may do after the sunset in the response. */
export const isGone = ({ status, headers }: ApiResponse): boolean =>
  status === errors.gone.status && Date.parse(headers.get('Sunset') ?? '') < Date.now();

/** @returns the differences between a response and what is expected */
export const compareResponse = (response: ApiResponse, expected: Expected): string[] => {
  const { error, headers = {}, also, by = 'function' } = expected;
  const status = expected.status ?? (error && errors[error].status);
  const all: Expected['headers'] = {
    ...(by !== 'AWS' && common),
    ...(by === 'function' && { 'X-Request-Id': /./ }),
    ...headers,
  };
  if (status !== undefined && response.status !== status)
    return [`status ${response.status}, not ${status}: ${shorten(response.text)}`];
  return [
    ...Object.entries(all).map(([name, wanted]) => headerDifference(response.headers, name, wanted)),
    ...(error && by !== 'AWS' ? errorDifferences(response, error, by) : []),
    also?.(response),
  ].filter(difference => difference !== undefined);
};

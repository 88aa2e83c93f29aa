import { type ErrorName, errors, headersOf, toBody } from '../../../lib/errors.ts';
import { commonHeaders } from '../../../lib/http/common-headers.ts';
import type { Expected } from './check.ts';
import type { Answer } from './send.ts';

const shorten = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

const headerFault = (headers: Headers, name: string, wanted: string | RegExp | null): string | undefined => {
  const value = headers.get(name);
  if (wanted === null) return value === null ? undefined : `the header ${name} is there: ${shorten(value)}`;
  if (value === null) return `the header ${name} is missing`;
  if (wanted instanceof RegExp) return wanted.test(value) ? undefined : `${name} is ${shorten(value)}, not ${wanted}`;
  return value === wanted ? undefined : `${name} is ${shorten(value)}, not ${wanted}`;
};

/** Whatever stands between may vary an answer by more. RFC 9110, section 12.5.5. */
const { Vary, ...fixedHeaders } = commonHeaders;

const common: Expected['headers'] = {
  ...fixedHeaders,
  Vary: new RegExp(`\\b${Vary}\\b`, 'i'),
  'Cache-Control': /^no-(?:store|cache)$/,
  'x-amzn-RequestId': /./,
};

/** The Error object and its headers. A message may say more than the table's; a gateway's is fixed. */
const errorFaults = ({ headers, text, body }: Answer, name: ErrorName, by: Expected['by']): (string | undefined)[] => {
  const { code, status, message } = toBody(name);
  const own = Object.entries(headersOf(name)).map(([header, value]) => headerFault(headers, header, value));
  if (text === '') return own;
  const isError = body?.code === code && body.status === status && typeof body.message === 'string';
  return [
    ...own,
    isError ? undefined : `the body is no Error with the code ${code} and the status ${status}: ${shorten(text)}`,
    isError && by === 'gateway' && body.message !== message ? `the message is "${body.message}"` : undefined,
  ];
};

/** What every answer of a deprecated operation says. */
export const lifeCycleHeaders = { Deprecation: /^@\d+$/, Sunset: /GMT$/, Link: /rel="successor-version"/ };

/** What is answered past the sunset, where the stage enforces it. */
export const gone: Expected = { error: 'gone', headers: lifeCycleHeaders };

/** Whether an operation has ended, which it may after the sunset that it tells: a stage's own setting, not the document's. */
export const isGone = ({ status, headers }: Answer): boolean =>
  status === errors.gone.status && Date.parse(headers.get('Sunset') ?? '') < Date.now();

/** What is wrong with an answer; nothing when it is as expected. */
export const judge = (answer: Answer, expected: Expected): string[] => {
  const { error, headers = {}, also, by = 'function' } = expected;
  const status = expected.status ?? (error && errors[error].status);
  const all: Expected['headers'] = {
    ...(by !== 'AWS' && common),
    ...(by === 'function' && { 'X-Request-Id': /./ }),
    ...headers,
  };
  if (status !== undefined && answer.status !== status)
    return [`answered ${answer.status}, not ${status}: ${shorten(answer.text)}`];
  return [
    ...Object.entries(all).map(([name, wanted]) => headerFault(answer.headers, name, wanted)),
    ...(error && by !== 'AWS' ? errorFaults(answer, error, by) : []),
    also?.(answer),
  ].filter(fault => fault !== undefined);
};

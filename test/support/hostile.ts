import fc from 'fast-check';
import { expect } from 'vitest';
import { maxBodyBytes } from '../../lib/max-body-bytes.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { send } from './http.ts';
import type { Petstore } from './petstore.ts';
import { arbitraryOf, bodyFieldsOf } from './values.ts';

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

const oneOf = (words: string) => fc.constantFrom(...words.split(' '));
const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const legalInPath = (text: string) => text.replace(/[^\x21-\x7e]|#/g, '%');

/** Unknown, malformed and misleading ids. */
const id = fc.oneof(
  oneOf(
    '0 1 -1 01 4095 9007199254740993 9999999999999999999 1e3 %31 %00 % %ff .. %E0%A5%A7 NaN __proto__',
  ),
  fc.string({ maxLength: 30 }).map(text => encodeURIComponent(text.toWellFormed())),
);

const anyMethod = oneOf('GET POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND');
const operation = fc.constantFrom(...allOperations);

const withId = (path: string, value: string) => path.replace(/{\w+}/, value);
const served = fc
  .tuple(operation, id)
  .map(([{ method, path }, value]) => ({ method, path: withId(path, value) }));
const anyPath = fc.string({ maxLength: 40 }).map(text => `/${legalInPath(text)}`);
/** Mostly an operation's, so that most requests pass the gateway. */
const target = weighted<{ method: string; path: string }>(
  [8, served],
  [1, fc.record({ method: anyMethod, path: served.map(({ path }) => path) })],
  [1, fc.record({ method: anyMethod, path: anyPath })],
);

const parameters = new Set(
  allOperations.flatMap(({ request }) =>
    Object.keys((request.query as { shape?: object } | undefined)?.shape ?? {}),
  ),
);
const parameter = fc.tuple(
  fc.constantFrom(...parameters, '__proto__', 'x'),
  fc.oneof(id, fc.constantFrom('sold', 'true', '5', '')),
);
const query = weighted(
  [3, fc.constant('')],
  [
    3,
    fc
      .array(parameter, { maxLength: 4 })
      .map(pairs => `?${pairs.map(pair => pair.join('=')).join('&')}`),
  ],
  [1, fc.string({ maxLength: 40 }).map(text => `?${legalInPath(text)}`)],
);

/** Each field has any valid value. */
const bodies = allOperations
  .filter(({ request }) => 'body' in request)
  .map(operation =>
    Object.fromEntries(
      Object.entries(bodyFieldsOf(operation)).map(([name, schema]) => [name, arbitraryOf(schema)]),
    ),
  );
const invalid = fc.oneof(
  fc.constantFrom<unknown>(null, '', '\ud800', 'lost', 2 ** 60, 1.5, 'true'),
  fc.anything(),
);

/** A value is valid for some operation, or for none. */
const knownFields = fc.record(
  Object.fromEntries(
    bodies.flatMap(Object.entries).map(([name, valid]) => [name, fc.oneof(valid, invalid)]),
  ),
  { requiredKeys: [] },
);

/** Except for some fields. */
const nearlyValid = fc
  .tuple(
    fc.oneof(...bodies.map(fields => fc.record(fields))),
    fc.oneof(fc.constant({}), knownFields),
  )
  .map(parts => JSON.stringify(Object.assign({}, ...parts)));

const body = weighted<string | undefined>(
  [6, nearlyValid],
  [4, knownFields.map(value => JSON.stringify(value))],
  [2, fc.json()],
  [1, fc.string()],
  [
    1,
    oneOf(
      '{"__proto__":{"id":1}} {"constructor":1} 1e999 {"categoryId":1e999,"name":"x"} {"name":"x\ufffd"}',
    ),
  ],
  [1, fc.constantFrom(undefined, '', '{"name":"x","n\\u0061me":"x"}', '['.repeat(8_000))],
  [
    1,
    fc.constantFrom(
      `{"name":"${'x'.repeat(maxBodyBytes)}"}`,
      `{"quantity":1${'0'.repeat(maxBodyBytes - 100)}1}`,
    ),
  ],
);

const mediaType = oneOf(
  'application/json application/json application/merge-patch+json text/plain ; ',
);
const shortText = fc.string({ maxLength: 20 });
const etagOrKey = fc.oneof(
  oneOf('* "x" W/"x" " , "k"'),
  fc.constant('" "'),
  fc.string({ maxLength: 300 }),
);
const hostileHeader = fc.oneof(
  fc.tuple(oneOf('If-Match If-None-Match Idempotency-Key'), etagOrKey),
  fc.tuple(fc.constant('Content-Type'), weighted([3, mediaType], [1, shortText])),
  fc.tuple(
    oneOf('X-Request-Id X-Forwarded-Proto Accept X-HTTP-Method-Override Origin Host'),
    shortText,
  ),
);

const legal = (value: string) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
const legalHeader = hostileHeader.map(([name, value]) => [name, legal(value)] as const);
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc
  .record({ target, query, headers: fc.array(legalHeader, { maxLength: 3 }), body })
  .map(({ target: { method, path }, query: search, ...rest }) => ({
    method,
    path: path + search,
    ...rest,
  }));

const internalNames =
  /PET#|ORDER#|CATEGORY#|IDEMPOTENCY#|dynamodb|amazonaws|node_modules|\/[\w-]+\.(?:ts|mjs)\b|Exception|\bat \S+ \(/i;

export const headerBytes = (headers: Readonly<Record<string, string>>): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);

/** API Gateway allows 10,240 bytes with the headers that it adds. */
export const maxHeaderBytes = 8_192;

/** Sends a request with its path unchanged, which may be no valid URL. Checks what must hold for every response. */
export const expectHarmless = async (
  { url, tableName, recordExchange }: Petstore,
  token: string,
  request: HostileRequest,
) => {
  const { method, path, headers: sent, body: given } = request;
  const requestBody = ['GET', 'HEAD', 'TRACE'].includes(method) ? undefined : given;
  const all = { Authorization: `Bearer ${token}`, ...Object.fromEntries(sent) };
  const {
    status,
    headers: received,
    body,
  } = await send(url, { method, path, headers: all, body: requestBody });
  const [headers, text] = [Object.fromEntries(received), body.toString()];
  const where = `${method} ${path.slice(0, 300)} ${JSON.stringify(sent)} ${given?.slice(0, 200)} → ${status} ${text.slice(0, 300)}`;
  expect(status, where).toBeLessThan(500);
  expect(
    headers['x-request-id'] !== undefined && headers['access-control-allow-origin'] === '*',
    where,
  ).toBe(true);
  expect(headerBytes(headers), where).toBeLessThan(maxHeaderBytes);
  expect(text.includes(tableName), where).toBe(false);
  const isOverridden = sent.some(([name]) => name === 'X-HTTP-Method-Override');
  const header = (name: string) => headers[name.toLowerCase()] ?? null;
  // White space around a value is not part of it (RFC 9110, section 5.5).
  const requestHeaders = Object.fromEntries(
    sent.map(([name, value]) => [name, value.replace(/^[\t ]+|[\t ]+$/g, '')]),
  );
  if (!isOverridden)
    recordExchange({ method, path, requestHeaders, requestBody: given, status, header, text });
  if (status < 400 || method === 'HEAD') return;
  const error = JSON.parse(text);
  expect(error, where).toEqual({ code: expect.any(String), message: expect.any(String), status });
  // A message may quote field names of the request, but no internal names.
  const quoted = `${path}${given ?? ''}`;
  if (!internalNames.test(quoted)) expect(error.message, where).not.toMatch(internalNames);
};

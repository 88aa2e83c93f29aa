import { expect, it } from 'vitest';
import type { Check } from '../../../cdk/commands/verify/check.ts';
import { caching } from '../../../cdk/commands/verify/checks/caching.ts';
import { catalog } from '../../../cdk/commands/verify/checks/catalog.ts';
import { documentation } from '../../../cdk/commands/verify/checks/documentation.ts';
import { errorChecks } from '../../../cdk/commands/verify/checks/errors.ts';
import { openQuestions } from '../../../cdk/commands/verify/checks/open-questions.ts';
import { completion, ending, orders } from '../../../cdk/commands/verify/checks/orders.ts';
import { pages } from '../../../cdk/commands/verify/checks/pages.ts';
import { routes } from '../../../cdk/commands/verify/checks/routes.ts';
import { scopeChecks } from '../../../cdk/commands/verify/checks/scopes.ts';
import { type Created, mark, nothingCreated } from '../../../cdk/commands/verify/created.ts';
import { operationRequests, readOnlyRequests } from '../../../cdk/commands/verify/operation-requests.ts';
import { guarded, type Result, runCheck, runOpenQuestion } from '../../../cdk/commands/verify/run-check.ts';
import { type ApiRequest, type ApiResponse, createSend, type TokenKind } from '../../../cdk/commands/verify/send.ts';
import { tokensOf } from '../../../cdk/commands/verify/tokens.ts';
import { verify } from '../../../cdk/commands/verify/verify.ts';
import { type ErrorName, headersOf, toBody } from '../../../lib/errors.ts';
import { commonHeaders } from '../../../lib/http/common-headers.ts';
import { stockedPet } from '../../support/fixtures.ts';
import { usePetstore } from '../../support/petstore.ts';
import { respond } from './respond.ts';

const petstore = usePetstore();

type Variant = readonly [name: string, response: ApiResponse];

const withText = (response: ApiResponse, text: string): ApiResponse => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {}
  return { ...response, text, body };
};

const withHeader = (response: ApiResponse, name: string, value: string | undefined): ApiResponse => {
  const headers = new Headers(response.headers);
  if (value === undefined) headers.delete(name);
  else headers.set(name, value);
  return { ...response, headers };
};

// The three files say what the checks send and detect. After an intended change, review the difference and run vitest with -u.

/** Headers of HTTP itself, and headers with a value that no check compares. */
const ignored = ['connection', 'date', 'keep-alive', 'transfer-encoding'];

const changedHeaders = (response: ApiResponse, name: string, value: string): Variant[] => [
  [`${name} x…`, withHeader(response, name, `x${value}`)],
  [`${name} …x`, withHeader(response, name, `${value}x`)],
  [`${name} X`, withHeader(response, name, value.toUpperCase())],
];

/** Every check compares them, so it is enough that they can be absent. */
const isCommon = (name: string) => name in common;
const common = Object.fromEntries(
  [...Object.keys(commonHeaders), 'x-amzn-requestid', 'x-request-id'].map(name => [name.toLowerCase(), true]),
);

/** A Content-Security-Policy without one of its directives or sources, or with an exception. */
const policyVariants = (response: ApiResponse): Variant[] => {
  const policy = response.headers.get('content-security-policy');
  if (policy === null) return [];
  const change = (name: string, value: string): Variant => [
    `policy ${name}`,
    withHeader(response, 'content-security-policy', value),
  ];
  const connect = /connect-src ([^;]*)/.exec(policy)?.[0] ?? '';
  return [
    ...policy.split('; ').map(directive => change(`without ${directive}`, policy.replace(directive, ''))),
    ...connect
      .split(' ')
      .map(word => change(`without ${word} of connect-src`, policy.replace(connect, connect.replace(word, '')))),
    change('with unsafe', `${policy}; script-src 'unsafe-inline'`),
  ];
};

/** A header of each response that can be wrong: absent, with other characters around its value, in upper case. */
const headerVariants = (response: ApiResponse): Variant[] => [
  ...[...response.headers]
    .filter(([name]) => !ignored.includes(name))
    .flatMap(([name, value]): Variant[] => [
      [`${name} -`, withHeader(response, name, undefined)],
      ...(isCommon(name) ? [] : changedHeaders(response, name, value)),
    ]),
  ...['content-encoding', 'idempotent-replayed', 'link']
    .filter(name => !response.headers.has(name))
    .map((name): Variant => [`${name} +`, withHeader(response, name, 'x')]),
  ['cache-control no-cache', withHeader(response, 'cache-control', 'no-cache')],
  ['cache-control private', withHeader(response, 'cache-control', 'private')],
  ...policyVariants(response),
];

const bodyVariants = (response: ApiResponse): Variant[] => {
  const { body, text } = response;
  const changed = (value: unknown) => withText(response, JSON.stringify(value));
  if (text === '') return [['a body', withText(response, 'x')]];
  const all: Variant[] = [['no body', withText(response, '')]];
  if (Array.isArray(body))
    return [
      ...all,
      ['no items', changed([])],
      ['each item twice', changed([...body, ...body])],
      ['one item less', changed(body.slice(1))],
    ];
  if (body === undefined)
    return [
      ...all,
      ...[...new Set(text.match(/[\w.-]+\.(?:js|css)"/g))].map(
        (file): Variant => [`no ${file}`, withText(response, text.replaceAll(file, ''))],
      ),
    ];
  return [
    ...all,
    ...Object.keys(body).flatMap((name): Variant[] => [
      [`another ${name}`, changed({ ...body, [name]: 'wrong' })],
      [`no ${name}`, changed({ ...body, [name]: undefined })],
    ]),
    ...['limit', 'color', 'UTF-8']
      .filter(word => text.includes(word))
      .map((word): Variant => [`no ${word}`, withText(response, text.replaceAll(word, ''))]),
  ];
};

const gone = (sunset: string): ApiResponse =>
  respond(410, toBody('gone'), { Sunset: sunset, Deprecation: '@1', Link: '</pets>; rel="successor-version"' });

const variantsOf = (response: ApiResponse): Variant[] => [
  ['another status', { ...response, status: 299 }],
  ['410', gone('Mon, 30 Jun 2025 23:59:59 GMT')],
  ['410 before the sunset', gone('Wed, 31 Dec 2999 23:59:59 GMT')],
  ...headerVariants(response),
  ...bodyVariants(response),
];

/** Ids, ETags, cursors and addresses differ between runs. */
const normalize = (text: string, notes: readonly (readonly [string, string])[] = []): string => {
  let normal = text.replaceAll(petstore.url, '{url}').replaceAll(mark, '{mark}');
  for (const [name, value] of notes) normal = normal.replaceAll(value, `{${name}}`);
  return normal.replaceAll(/cursor=[\w.-]{9,}/g, 'cursor={cursor}');
};

const textOf = ({ method, path, ...rest }: ApiRequest, notes?: ReadonlyMap<string, string>): string => {
  const asText = (_: string, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
    return typeof value === 'string' && value.length > 300 ? `${value.slice(0, 99)}… ${value.length}` : value;
  };
  const text = Object.keys(rest).length > 0 ? ` ${JSON.stringify({ ...rest }, asText)}` : '';
  const long = [...(notes ?? [])].filter(([, value]) => value.length > 8);
  const inJson = long.map(([name, value]) => [name, JSON.stringify(value).slice(1, -1)] as const);
  return normalize(`${method} ${path}${text}`, [...inJson, ...long]);
};

/** The wrong responses that every check detects, and the others, each with the checks that detect the same. */
const tableOf = (rows: readonly (readonly [string, readonly string[]])[]): string[] => {
  const common = rows[0]![1].filter(name => rows.every(([, found]) => found.includes(name)));
  const groups = Map.groupBy(rows, ([, found]) => found.filter(name => !common.includes(name)).join(', '));
  return [
    `all checks: ${common.join(', ')}`,
    ...[...groups].flatMap(([found, checks]) => ['', ...checks.map(([name]) => `- ${name}`), `  ${normalize(found)}`]),
  ];
};

/** Runs a check with another response. */
const fails = async (check: Check, response: ApiResponse, created: Created): Promise<boolean> => {
  const results: Result[] = [];
  const retry = { attempts: 1, pause: 0 };
  await guarded(
    '',
    result => results.push(result),
    () =>
      runCheck(
        check,
        async () => response,
        structuredClone(created),
        result => results.push(result),
        retry,
      ),
  );
  return results.some(({ outcome }) => outcome === 'FAILED');
};

it('sends the requests in wrong-responses.txt, and fails with the wrong responses there', async () => {
  // A store with two items in every list.
  const { id: petId } = await stockedPet(petstore.staff, 9);
  await stockedPet(petstore.staff, 9);
  await petstore.staff('POST', '/store/orders', { body: { petId } });
  const tokens = new Map<TokenKind, string>(await tokensOf(petstore.url, { client: 'staff', secret: 'local' }));
  tokens.set('expired', `${tokens.get('client')}x`);
  const send = createSend({ base: petstore.url, tokens });
  const created = nothingCreated('RUN');
  const requests: string[] = [];
  const detected: [string, string[]][] = [];
  const lists = [documentation(petstore.url), routes, scopeChecks, errorChecks, caching];
  for (const check of [...lists.flat(), ...catalog, ...pages(petstore.url), ...orders, ...completion, ...ending]) {
    const before = structuredClone(created);
    let sent: ApiRequest | undefined;
    let response: ApiResponse | undefined;
    const results: Result[] = [];
    const record = async (request: ApiRequest) => {
      sent = request;
      response = await send(request);
      return response;
    };
    await runCheck(check, record, created, result => results.push(result), { attempts: 8, pause: 0 });
    expect(results).toEqual([{ outcome: 'ok', name: check.name }]);
    const flags = (['writes', 'manages', 'eventually', 'mayBeGone'] as const).filter(flag => check[flag]);
    requests.push(
      [check.name, ...(flags.length > 0 ? [flags.join(' ')] : []), textOf(sent!, before.notes)].join(' | '),
    );
    const found: string[] = [];
    for (const [name, wrong] of variantsOf(response!)) if (await fails(check, wrong, before)) found.push(name);
    detected.push([check.name, found]);
  }

  const samples = operationRequests.map(
    ({ id, request }) => `${id} ${textOf(request({ number: 7, category: 1, pet: 2, order: 3 }, 'RUN'))}`,
  );
  const text = [
    '# Requests: name, flags, method, path, token, headers, body',
    ...requests,
    '',
    '# Requests that measure latencies',
    ...samples,
    `With --read-only: ${readOnlyRequests.map(({ id }) => id).join(', ')}`,
    '',
    '# Checks, and the wrong responses with which they fail',
    ...tableOf(detected),
    '',
  ];
  await expect(text.join('\n')).toMatchFileSnapshot('wrong-responses.txt');
});

/** What AWS could respond to an open question. */
const candidates = (): Variant[] => {
  const gateway = (name: ErrorName, headers: Record<string, string | undefined>) =>
    respond(toBody(name).status, toBody(name), { ...headersOf(name), ...headers });
  const byAws = { 'X-Request-Id': undefined, 'Access-Control-Allow-Origin': undefined, 'Cache-Control': undefined };
  const ofGateway: ErrorName[] = [
    'invalid_request',
    'unauthenticated',
    'forbidden',
    'not_found',
    'method_not_allowed',
    'payload_too_large',
    'unsupported_media_type',
    'too_many_requests',
  ];
  return [
    ...ofGateway.flatMap((name): Variant[] => [
      [name, gateway(name, {})],
      [`${name}, another X-Request-Id`, gateway(name, { 'X-Request-Id': 'other' })],
      [`${name} without X-Request-Id`, gateway(name, { 'X-Request-Id': undefined })],
    ]),
    ...[200, 399, 400, 403, 404, 405, 413, 414, 431, 499, 500, 503].map(
      (status): Variant => [`AWS ${status}`, respond(status, { message: 'of AWS' }, byAws)],
    ),
    ...['"a"', 'W/"a"', 'x"a"', 'xW/"a"', undefined].map(
      (ETag): Variant => [`200 with the ETag ${ETag}`, respond(200, [], { ETag })],
    ),
    ...['12', 'x1', '1x'].map(
      (length): Variant => [`200 with the length ${length}`, respond(200, [], { 'Content-Length': length })],
    ),
  ];
};

it('reports the meanings in open-questions.txt', async () => {
  const lines: string[] = [];
  for (const question of openQuestions) {
    const meanings: [string, string][] = [];
    const report = async (name: string, send: () => Promise<ApiResponse>) =>
      runOpenQuestion(question, send, ({ outcome, text = '' }) =>
        meanings.push([name, outcome === 'FAILED' ? outcome : `${outcome}: ${text}`]),
      ).catch(() => meanings.push([name, 'throws']));
    for (const [name, response] of candidates()) await report(name, async () => response);
    for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNREFUSED', undefined])
      await report(`error ${code}`, () => Promise.reject(new Error('fetch failed', { cause: { code } })));
    lines.push('', `## ${question.name} | ${textOf(question.request)}`);
    for (const [meaning, of] of Map.groupBy(meanings, ([, meaning]) => meaning))
      if (meaning !== 'FAILED') lines.push(`- ${meaning}`, `  ${of.map(([name]) => name).join('; ')}`);
  }
  await expect([...lines, ''].join('\n')).toMatchFileSnapshot('open-questions.txt');
});

it('runs the checks in checks.txt, in that order', async () => {
  const options = { url: 'https://petstore.example', credentials: { token: 'none' }, only: ['no such check'] };
  const namesWith = async (more: object): Promise<string[]> => {
    const { message } = (await verify({ ...options, ...more }, () => undefined).catch(
      (error: Error) => error,
    )) as Error;
    return message
      .split('\n')
      .slice(1)
      .map(line => line.trim());
  };
  const samples = { cold: 1, warm: 1 };
  const outputs = { WebhooksDeadLetterQueueUrl: 'https://queue.example/1' };
  const all = await namesWith({ samples, outputs, completeOrder: true, provoke429: true });
  const least = await namesWith({});
  const readOnly = await namesWith({ samples, outputs, completeOrder: true, provoke429: true, readOnly: true });
  const local = await namesWith({ url: 'http://petstore.example' });
  const without = (names: string[]) => all.filter(name => !names.includes(name));
  const text = [
    ...all,
    ...['', '# Only with options', ...without(least)],
    ...['', '# Not with --read-only', ...without(readOnly)],
    ...['', '# Not over HTTP', ...least.filter(name => !local.includes(name))],
    '',
  ];
  await expect(text.join('\n')).toMatchFileSnapshot('checks.txt');
});

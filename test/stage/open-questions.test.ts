import { expect, it, TestRunner } from 'vitest';
import type { ApiResponse } from '../support/petstore.ts';
import { expectErrorNamed, send, sendOnce, stage, useStage } from './stage.ts';

await useStage();

/** AWS does not document the answer. The test accepts `answers` or a closed connection. Copy the answer to its file. */
interface Question {
  /** Names the file that depends on the answer, if there is one. */
  readonly doubt: string;
  readonly request: Parameters<typeof send>;
  readonly answers: Readonly<Record<string, (response: ApiResponse) => boolean>>;
}

const isError =
  (status: number, message = /./) =>
  (response: ApiResponse) =>
    response.status === status &&
    typeof response.body?.code === 'string' &&
    message.test(response.body.message);
const isOfAws = (response: ApiResponse) =>
  response.status >= 400 && response.status < 500 && !response.body?.code;
const ok = ({ status }: ApiResponse) => status === 200;
const isRejected = ({ status }: ApiResponse) => status >= 400 && status < 500;
const isServerError = ({ status }: ApiResponse) => status >= 500;
const callersCauseIt =
  'a 5xx, which counts for ServerErrors, and for other alarms unless its lambdaStatus is 413';

const gzip = { headers: { 'Accept-Encoding': 'gzip' } };
/** Only a compressed response can answer these questions. */
const compressed =
  (matches: (header: (name: string) => string | null) => boolean) => (response: ApiResponse) =>
    ok(response) &&
    response.headers.get('Content-Encoding') === 'gzip' &&
    matches(name => response.headers.get(name));

const mock = (type: string): Question => ({
  doubt: 'cdk/stack/mock-methods.ts: whether a mock compares a Content-Type with its parameters',
  request: ['POST', '/nothing', { body: 'a', headers: { 'Content-Type': type } }],
  answers: {
    '404: the type is accepted': isError(404),
    '415: the type is compared with its parameters': isError(415),
  },
});

const questions: Readonly<Record<string, Question>> = {
  'dynamodb:LeadingKeys of an index query': {
    doubt: "cdk/config/permissions.ts: that it is the index's partition is not documented",
    request: ['GET', '/pets?limit=1'],
    // If this fails, nobody can list pets. Then remove `partitions` from cdk/config/permissions.ts.
    answers: { "the index's partition matches the role of listPets": ok },
  },
  'X-Request-Id of a gateway response': {
    doubt: 'cdk/stack/gateway-responses.ts: mapping context.requestId there is not documented',
    request: ['GET', '/store/orders'],
    answers: {
      'it is context.requestId': response =>
        isError(401)(response) &&
        response.headers.get('X-Request-Id') === response.headers.get('x-amzn-RequestId'),
      'it is absent; callers find x-amzn-RequestId': response =>
        isError(401)(response) && !response.headers.get('X-Request-Id'),
    },
  },
  'a mock response to multipart/form-data; boundary=x': mock('multipart/form-data; boundary=x'),
  'a mock response to application/json; charset=utf-8': mock('application/json; charset=utf-8'),
  'a mock response to text/plain;charset=UTF-8': mock('text/plain;charset=UTF-8'),
  'the ETag of a compressed response': {
    doubt: 'cdk/DECISIONS.md: one ETag for both encodings',
    request: ['GET', '/openapi.json', gzip],
    answers: {
      'the gateway keeps it': compressed(header => /^"/.test(header('ETag') ?? '')),
      'the gateway weakens it: If-Match with it gets 412': compressed(header =>
        /^W\//.test(header('ETag') ?? ''),
      ),
      'the gateway removes it': compressed(header => header('ETag') === null),
    },
  },
  'the length of a compressed response': {
    doubt: 'what minimumCompressionSize does to Content-Length is not documented',
    request: ['GET', '/openapi.json', gzip],
    answers: {
      'it is present': compressed(header => /^\d+$/.test(header('Content-Length') ?? '')),
      'it is absent': compressed(header => header('Content-Length') === null),
    },
  },
  'a query that cannot be decoded': {
    doubt: 'cdk/local/gateway/gateway.ts: what rejects it',
    request: ['GET', '/pets?limit=%zz'],
    answers: {
      'the function rejects it, with its reason': isError(400, /limit/),
      'the gateway rejects it': isError(400),
    },
  },
  'two slashes at the beginning': {
    doubt: 'cdk/local/gateway/match-route.ts: recorded as one',
    request: ['GET', '//pets/categories?limit=1'],
    answers: { 'they are one slash': ok, 'they are two: there is no such path': isError(404) },
  },
  'X-HTTP-Method-Override': {
    doubt: 'cdk/local/gateway/gateway.ts: recorded as changing the method',
    request: ['GET', '/docs', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
    answers: { 'it changes the method': isError(405), 'it has no effect': ok },
  },
  'a method that ANY does not include': {
    doubt: 'cdk/local/gateway/match-route.ts: which gateway response it gets',
    request: ['PROPFIND', '/pets'],
    answers: {
      'ours: 404': isError(404),
      'ours: 405': isError(405),
      'AWS rejects it before the API': isOfAws,
    },
  },
  'headers above 10,240 bytes': {
    doubt: 'cdk/local/gateway/gateway.ts: how AWS rejects them is not documented',
    request: ['GET', '/docs', { headers: { 'X-Long': 'x'.repeat(11_000) } }],
    answers: { 'AWS rejects them': isOfAws, 'they are accepted': ok },
  },
  'a body above 10 MB': {
    doubt: 'cdk/stack/gateway-responses.ts: REQUEST_TOO_LARGE is known to be ignored',
    request: ['POST', '/docs', { body: 'x'.repeat(10 * 1024 * 1024 + 1) }],
    answers: { '413 with our message': isError(413), 'AWS rejects it': isOfAws },
  },
  // API Gateway accepts both bodies; a proxy event of more than 6 MB is too large for Lambda (developer guide, "Lambda quotas").
  'a GET with a body of 7 MB': {
    doubt: 'cdk/local/gateway/gateway.ts: it has no limit of Lambda',
    request: ['GET', '/pets?limit=1', { body: 'x'.repeat(7 * 1024 * 1024) }],
    answers: {
      'the function ignores it': ok,
      'AWS rejects it': isRejected,
      [callersCauseIt]: isServerError,
    },
  },
  'a body of 4 MB that has 8 MB in the event, by escaping': {
    doubt: 'cdk/local/gateway/gateway.ts: it has no limit of Lambda',
    request: [
      'POST',
      '/store/orders',
      { token: 'client', body: { petId: '"'.repeat(2 * 1024 * 1024) } },
    ],
    answers: { 'AWS or the function rejects it': isRejected, [callersCauseIt]: isServerError },
  },
};

const closed = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** @returns undefined if AWS closes the connection @throws when nothing listens */
const responseTo = (request: Question['request']) =>
  send(...request).catch(error => {
    if (!closed.includes(error.cause?.code)) throw error;
  });

const observe = (answer: string) => {
  TestRunner.getCurrentTest()!.meta.answer = answer;
};

it.each(Object.entries(questions))('%s', async (_, { doubt, request, answers }) => {
  const response = await responseTo(request);
  const [answer] =
    Object.entries(answers).find(([, matches]) => response && matches(response)) ?? [];
  if (response) expect(answer, `${response.status} ${response.text.slice(0, 100)}`).toBeDefined();
  observe(`${answer ?? 'the connection is closed'} (${doubt})`);
});

it('the throttle of a method: its 429, and whether ANY has one bucket for all verbs', async () => {
  for (let round = 0; round < 5; round++) {
    // Uses up only the rate of wrong methods, so no correct request gets a 429.
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => sendOnce('DELETE', '/pets')),
    );
    const throttled = responses.find(({ status }) => status === 429);
    if (!throttled) continue;
    expectErrorNamed(throttled, 'too_many_requests', 'gateway');
    const { status } = await sendOnce('PUT', '/pets');
    return observe(
      status === 429 ? 'one bucket (cdk/config/limits.ts)' : 'one for each, or it has filled again',
    );
  }
  observe('API Gateway never throttled 200 requests');
});

// Not in a scheduled run, because for some seconds nobody could cancel an order.
it.skipIf(stage.readOnly)(
  'whether requests without a token use up the rate of a method',
  async () => {
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => sendOnce('DELETE', '/store/orders/1')),
    );
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].filter(status => ![401, 429].includes(status))).toEqual([]);
    observe(
      statuses.has(429) ? 'yes (cdk/RUNBOOK.md, CallersThrottled)' : 'no, or not at this rate',
    );
  },
);

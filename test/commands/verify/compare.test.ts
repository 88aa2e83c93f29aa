import { describe, expect, it } from 'vitest';
import { openQuestions } from '../../../cdk/commands/verify/checks/open-questions.ts';
import { compareResponse, isGone } from '../../../cdk/commands/verify/compare.ts';
import { nothingCreated } from '../../../cdk/commands/verify/created.ts';
import { percentile } from '../../../cdk/commands/verify/latency.ts';
import { runCheck } from '../../../cdk/commands/verify/run-check.ts';
import type { ApiResponse } from '../../../cdk/commands/verify/send.ts';
import { report429 } from '../../../cdk/commands/verify/throttle.ts';
import { toBody } from '../../../lib/errors.ts';
import { respond } from './respond.ts';

const without = (response: ApiResponse, name: string) => {
  response.headers.delete(name);
  return response;
};
const notFound = toBody('not_found');

describe('the comparison of a response', () => {
  it('finds no difference in a correct response', () => {
    expect(compareResponse(respond(200, {}), { status: 200 })).toEqual([]);
    expect(compareResponse(respond(404, notFound), { error: 'not_found', by: 'gateway' })).toEqual([]);
    expect(compareResponse(respond(418, 'a'), { status: 418, by: 'AWS' })).toEqual([]);
  });

  it('reports another status, with at most 160 characters of the response', () => {
    expect(compareResponse(respond(500, 'x'.repeat(161)), { status: 200 })).toEqual([
      `status 500, not 200: ${'x'.repeat(160)}…`,
    ]);
    expect(compareResponse(respond(200, notFound), { error: 'not_found' })).toEqual([
      expect.stringMatching(/^status 200, not 404/),
    ]);
  });

  it.each<[string, ApiResponse, object, string]>([
    ['a missing header', respond(200, {}), { ETag: '"a"' }, 'the header ETag is missing'],
    ['another value', respond(200, {}, { ETag: '"b"' }), { ETag: '"a"' }, 'ETag is "b", not "a"'],
    ['another pattern', respond(200, {}, { ETag: 'W/"b"' }), { ETag: /^"/ }, 'ETag is W/"b", not /^"/'],
    ['a header that must be absent', respond(200, {}, { Link: 'a' }), { Link: null }, 'the header Link is present: a'],
    [
      'a missing header of every response',
      without(respond(200, {}), 'X-Content-Type-Options'),
      {},
      'the header X-Content-Type-Options is missing',
    ],
    [
      'a missing id of the request',
      without(respond(200, {}), 'X-Request-Id'),
      {},
      'the header X-Request-Id is missing',
    ],
  ])('reports %s', (_, response, headers, difference) => {
    expect(compareResponse(response, { status: 200, headers: headers as never })).toEqual([difference]);
  });

  it.each<[string, unknown]>([
    ['another code', { ...notFound, code: 'gone' }],
    ['another status in the body', { ...notFound, status: 400 }],
    ['no message', { code: 'not_found', status: 404 }],
    ['text', 'nothing here'],
  ])('reports an error with %s', (_, body) => {
    expect(compareResponse(respond(404, body), { error: 'not_found' })).toEqual([
      expect.stringMatching(/^the body is not an Error with the code not_found and the status 404: /),
    ]);
  });

  it('reports another message of the gateway, whose messages are fixed', () => {
    const other = respond(404, { ...notFound, message: 'Missing Authentication Token' });
    expect(compareResponse(other, { error: 'not_found' })).toEqual([]);
    expect(compareResponse(other, { error: 'not_found', by: 'gateway' })).toEqual([
      'the message is "Missing Authentication Token"',
    ]);
  });

  it('accepts 410 after the sunset only', () => {
    const gone = (sunset: string) => isGone(respond(410, '', { Sunset: sunset }));
    expect([gone('Mon, 30 Jun 2025 23:59:59 GMT'), gone('Wed, 31 Dec 2999 23:59:59 GMT'), gone('soon')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a check', () => {
  const check = { name: 'c', request: { method: 'GET', path: '/a' }, expect: { status: 200 } };
  const runWith = async (more: object, ...responses: ApiResponse[]) => {
    const left = [...responses];
    const outcomes: string[] = [];
    const report = ({ outcome }: { outcome: string }) => outcomes.push(outcome);
    const send = async () => left.shift()!;
    await runCheck({ ...check, ...more }, send, nothingCreated(''), report, { attempts: 3, pause: 0 });
    return { outcomes, sent: responses.length - left.length };
  };

  it('is sent once, or again while an index lags', async () => {
    const [wrong, right] = [respond(404, notFound), respond(200, {})];
    expect(await runWith({}, wrong, right)).toEqual({ outcomes: ['FAILED'], sent: 1 });
    expect(await runWith({ eventually: true }, wrong, right, right)).toEqual({ outcomes: ['ok'], sent: 2 });
    expect(await runWith({ eventually: true }, wrong, wrong, wrong, right)).toEqual({ outcomes: ['FAILED'], sent: 3 });
  });

  it('records what it created also when the response is wrong, and nothing when it is an error', async () => {
    const kept: number[] = [];
    const keep = ({ status }: ApiResponse) => kept.push(status);
    await runWith({ keep }, respond(201, { id: 1 }));
    await runWith({ keep }, respond(404, notFound));
    expect(kept).toEqual([201]);
  });
});

describe('a 429', () => {
  it('has the message of the gateway, and its headers', () => {
    const outcomeOf = (response: ApiResponse) => {
      const outcomes: string[] = [];
      report429(response, ({ outcome }) => outcomes.push(outcome));
      return outcomes;
    };
    const body = toBody('too_many_requests');
    const headers = { 'Retry-After': '1' };
    expect(outcomeOf(respond(429, body, headers))).toEqual(['ok']);
    expect(outcomeOf(respond(429, body))).toEqual(['FAILED']);
    expect(outcomeOf(respond(429, { ...body, message: 'Too Many Requests' }, headers))).toEqual(['FAILED']);
  });
});

describe('an open question', () => {
  const meaningOf = (name: string, response: ApiResponse) =>
    openQuestions
      .find(question => question.name === name)!
      .responses.find(({ expect }) => compareResponse(response, expect).length === 0)?.means;

  it('distinguishes the correct responses', () => {
    const error = toBody('unauthenticated');
    const unauthenticated = (id: string) => respond(401, error, { 'X-Request-Id': id, 'WWW-Authenticate': 'Bearer' });
    const requestId = 'X-Request-Id of a gateway response';
    expect(meaningOf(requestId, unauthenticated('id'))).toMatch(/^a gateway response takes/);
    expect(meaningOf(requestId, unauthenticated('other'))).toMatch(/^context.requestId is not mapped/);
    const etag = (value: string) => meaningOf('the ETag of a compressed response', respond(200, {}, { ETag: value }));
    expect([etag('"a"'), etag('W/"a"')]).toEqual([
      'the gateway keeps the ETag',
      'the gateway weakens the ETag: If-Match with it gets 412',
    ]);
  });
});

describe('the percentile', () => {
  it.each<[number[], number, number | undefined]>([
    [[1], 0.5, 1],
    [[1, 2, 3], 0.5, 2],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3], 0.99, 3],
    [Array.from({ length: 200 }, (_, index) => index + 1), 0.99, 198],
    [[], 0.5, undefined],
  ])('of %j is computed by nearest rank, %s', (values, share, value) => {
    expect(percentile(values, share)).toBe(value);
  });
});

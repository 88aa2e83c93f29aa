import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../lib/errors.ts';
import { errorChainOf } from '../../../lib/http/error-chain.ts';
import { operation } from '../../../lib/operations/operation.ts';
import { call, getToy, withClaims } from './toys.ts';

/** With the console method of each line. */
const logged: [level: string, line: Record<string, unknown>][] = [];
beforeEach(() => {
  logged.length = 0;
  vi.stubEnv('BUILD', 'b');
  for (const level of ['info', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(line => void logged.push([level, line]));
});
afterEach(() => void vi.unstubAllEnvs());

const ball = async () => ({ name: 'Ball' });
const failure = (error: Error) => () => Promise.reject(error);
const fields = {
  operation: 'getToy',
  durationMs: expect.any(Number),
  requestId: 'r',
  clientId: 'anonymous',
  dynamoDbCalls: 0,
  readUnits: 0,
  writeUnits: 0,
  coldStart: expect.any(Boolean),
};

describe('the log line of a request', () => {
  it.each<[string, number, string, () => Promise<never>, ...string[]]>([
    ['info', 404, 'pet_not_found', failure(new ApiError('pet_not_found'))],
    ['info', 422, 'pet_not_found', failure(new ApiError('pet_not_found_in_body'))],
    [
      'error',
      503,
      'try_again',
      failure(new ApiError('try_again', 'm', { cause: new TypeError('x') })),
      'm',
      'x',
    ],
    [
      'error',
      503,
      'try_again',
      () => new Promise(() => undefined),
      'busy',
      'did not end before its deadline',
    ],
    ['error', 500, 'internal_error', failure(new Error('defect')), 'defect'],
    [
      'error',
      500,
      'internal_error',
      failure(new ApiError('order_complete', 'undeclared')),
      'undeclared',
    ],
  ])(
    'has the level %s for %i %s, and from 500 up the causes',
    async (level, status, code, run, ...messages) => {
      await call(getToy, {}, run, 260);
      const [[actual, { error = [], build, ...line }]] = logged as [
        [string, { error?: Error[]; build?: string }],
      ];
      expect([actual, line]).toEqual([level, { ...fields, status, code }]);
      expect(error.map(({ message }) => message)).toEqual(
        messages.map(part => expect.stringContaining(part)),
      );
      // Only a 500 has a stack. A busy store causes many 503s, whose stacks would cost more than they explain.
      expect([build, error.some(({ stack }) => stack)]).toEqual(
        status === 500 ? ['b', true] : [undefined, false],
      );
    },
  );

  const canceled = (Code: string) =>
    Object.assign(new Error('Transaction cancelled'), { CancellationReasons: [{}, { Code }] });
  const named = (name: string) => Object.assign(new Error('m'), { name });
  it.each([
    [named('ThrottlingException'), true],
    [named('ProvisionedThroughputExceededException'), true],
    [named('RequestLimitExceeded'), true],
    [named('UnprocessedKeys'), true],
    [canceled('ThrottlingError'), true],
    [new Error('m', { cause: canceled('ProvisionedThroughputExceeded') }), true],
    [canceled('TransactionConflict'), undefined],
    [named('TimeoutError'), undefined],
  ])('says whether DynamoDB throttled: %o', async (cause, throttled) => {
    for (const code of ['try_again', 'internal_error'] as const)
      await call(getToy, {}, failure(new ApiError(code, 'm', { cause })));
    expect(logged.map(([, line]) => line.throttled)).toEqual([throttled, undefined]);
  });

  it('has the client, and the owner only if that is a user', async () => {
    await call(getToy, withClaims(), ball);
    expect(logged).toEqual([['info', { ...fields, status: 200, clientId: 'shop' }]]);
  });

  it('has what the table of personal data in .github/SECURITY.md names', async () => {
    const security = readFileSync(
      join(import.meta.dirname, '../../../.github/SECURITY.md'),
      'utf8',
    );
    const [, row = ''] = /^\| logs, with the ids of (.*?) \|/m.exec(security) ?? [];
    const [always, deprecated] = row
      .split('; of a deprecated operation also ')
      .map(text => text.split(' and '));
    vi.stubEnv('DEPRECATED_ON', '2026-01-01');
    vi.stubEnv('SUNSET_ON', '2027-01-01');
    const identity = { sourceIp: 'ADDRESS', userAgent: 'USER AGENT'.padEnd(201) };
    const { authorizer } = withClaims({
      sub: 'USER',
      username: 'NAME',
      client_id: 'CLIENT',
    }).requestContext;
    const multiValueHeaders = {
      'User-Agent': ['USER AGENT'],
      'X-Forwarded-For': ['ADDRESS'],
      From: ['MAIL'],
    };
    const event = { multiValueHeaders, requestContext: { identity, authorizer } };
    const successor = { deprecated: { successor: '/toys' } } as const;
    for (const [toy, names] of [
      [getToy, always],
      [operation({ ...getToy, ...successor }), [...always!, ...deprecated!]],
    ] as const) {
      logged.length = 0;
      await call(toy, event, ball);
      const personal =
        JSON.stringify(logged).match(/USER AGENT|ADDRESS|USER|NAME|CLIENT|MAIL/g) ?? [];
      expect(personal.map(word => word.toLowerCase()).sort()).toEqual([...names!].sort());
    }
    const ids = {
      clientId: 'CLIENT',
      ownerId: 'USER',
      sourceIp: 'ADDRESS',
      userAgent: 'USER AGENT'.padEnd(200),
    };
    expect(logged).toEqual([['info', { ...fields, status: 200, deprecated: true, ...ids }]]);
  });

  it('has the duration in milliseconds with one digit of a fraction, and a cold start once per process', async () => {
    vi.resetModules();
    const { call: callAfterStart } = await import('./toys.ts');
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValue(1_012.345);
    for (const event of [{}, {}]) await callAfterStart(getToy, event, ball);
    now.mockRestore();
    expect(logged).toMatchObject([
      ['info', { durationMs: 12.3, coldStart: true }],
      ['info', { durationMs: 0, coldStart: false }],
    ]);
  });
});

describe('a logged error', () => {
  const errorWith = (changes: object) => Object.assign(new Error('m'), changes);
  const name = 'Error';
  const message = 'm';

  const timeout = { name: 'TimeoutError', code: 'ETIMEDOUT' };
  const metadata = { requestId: 'ID', httpStatusCode: 500, attempts: 1 };
  it.each<[object, object]>([
    [timeout, timeout],
    [{ $metadata: metadata }, { httpStatus: 500, dynamoDbRequestId: 'ID' }],
    // The SDK spells this field both ways.
    [
      { ThrottlingReasons: [{ reason: 'Full', resource: 'arn' }, {}] },
      { throttlingReasons: ['Full: arn', ''] },
    ],
    [{ throttlingReasons: [{ reason: 'Full' }] }, { throttlingReasons: ['Full'] }],
    [
      { CancellationReasons: [{ Code: 'No', Message: 'why', Item: 'secret' }] },
      { cancellationReasons: ['No: why'] },
    ],
    [{ message: 'x'.repeat(501) }, { message: 'x'.repeat(500) }],
  ])('with %j has the fields %j', (changes, expected) => {
    expect(errorChainOf(errorWith(changes))).toEqual([{ name, message, ...expected }]);
  });

  it('has five causes at most, and no text of a cause that is no error', () => {
    const endless = errorWith({});
    endless.cause = endless;
    expect(errorChainOf(endless)).toEqual(Array(5).fill({ name, message }));
    expect(errorChainOf(errorWith({ cause: 'secret' }))).toEqual([
      { name, message },
      { name: 'string' },
    ]);
    expect(errorChainOf(null)).toEqual([{ name: 'object' }]);
  });

  it('has the frames of its stack, without the message', () => {
    const frames = ['    at one (a.js:1:2)', '    at two (b.js:3:4)'];
    const stacks = [`Error: first line\nsecond line\n${frames.join('\n')}`, undefined];
    const chains = stacks.map(stack => errorChainOf(errorWith({ stack }), true));
    expect(chains).toEqual([[{ name, message, stack: frames }], [{ name, message, stack: [] }]]);
  });
});

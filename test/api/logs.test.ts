import { describe, expect, it } from 'vitest';
import { ApiError } from '../../lib/errors.ts';
import { errorChainOf } from '../../lib/http/error-chain.ts';
import { dynamoDbRequestId, type Fault } from '../support/dynamodb-proxy.ts';
import { createCategory } from '../support/fixtures.ts';
import { type Petstore, startPetstore, usePetstore } from '../support/petstore.ts';
import { signToken } from '../support/sign-token.ts';

const petstore = usePetstore();
/** For requests that end with a 503: short retry budget, short attempt timeout. */
const shortBudget = usePetstore({ environment: { RETRY_BUDGET_MS: '300' } });
const shortTimeout = usePetstore({ environment: { ATTEMPT_TIMEOUT_MS: '200', RETRY_BUDGET_MS: '200' } });

/** The log lines of these requests. */
const linesOf = async ({ logs }: Petstore, requests: () => Promise<{ headers: Headers }[]>) => {
  const mark = logs.length;
  const ids = (await requests()).map(({ headers }) => headers.get('X-Request-Id'));
  const lines = () =>
    logs
      .slice(mark)
      .join('')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
      .filter(({ message }) => ids.includes(message.requestId));
  await expect.poll(() => lines().length).toBe(ids.length);
  return ids.map(id => lines().find(({ message }) => message.requestId === id));
};

const lineOf = async (where: Petstore, request: () => Promise<{ headers: Headers }>) =>
  (await linesOf(where, async () => [await request()]))[0];

const stack = expect.arrayContaining([expect.stringMatching(/^ {4}at /)]);

describe('the log line of a request', () => {
  it('has the code of an error response, and no code for a success', async () => {
    const { id } = await createCategory(petstore.staff);
    const requests: [string, Promise<{ headers: Headers }>][] = [
      ['INFO 200 undefined', petstore.anonymous('GET', `/pets/categories/${id}`)],
      ['INFO 400 invalid_request', petstore.anonymous('GET', '/pets/x')],
      ['INFO 403 forbidden', petstore.shop('DELETE', '/pets/1')],
      ['INFO 404 pet_not_found', petstore.anonymous('GET', '/pets/1')],
      ['INFO 415 unsupported_media_type', petstore.staff('POST', '/pets', { headers: { 'Content-Type': 'a/b' } })],
      ['INFO 422 category_not_found', petstore.staff('POST', '/pets', { body: { name: 'Tom', categoryId: 1 } })],
    ];
    const lines = await linesOf(petstore, () => Promise.all(requests.map(([, request]) => request)));
    expect(lines.map(({ level, message }) => `${level} ${message.status} ${message.code}`)).toEqual(
      requests.map(([expected]) => expected),
    );
    expect(lines.some(({ message }) => 'error' in message)).toBe(false);
  });

  it('has the client, and the owner if that is a user', async () => {
    const own = await lineOf(petstore, () => petstore.shop('GET', '/store/orders'));
    expect(own).toEqual({
      ...{ timestamp: expect.any(String), level: 'INFO', requestId: expect.any(String) },
      message: {
        ...{ operation: 'listOrders', status: 200, durationMs: expect.any(Number), requestId: expect.any(String) },
        ...{
          clientId: 'shop',
          dynamoDbCalls: 1,
          readUnits: expect.any(Number),
          writeUnits: 0,
          coldStart: expect.any(Boolean),
        },
      },
    });
    const token = await signToken(petstore.tokenKey, { client: 'web', user: 'anna-1' });
    const { message } = await lineOf(petstore, () => petstore.withToken(token)('GET', '/store/orders'));
    expect(message).toMatchObject({ clientId: 'web', ownerId: 'anna-1' });
  });

  it.each<[Fault, string, object]>([
    [
      'conflict',
      'try_again',
      {
        name: 'TransactionCanceledException',
        httpStatus: 400,
        dynamoDbRequestId,
        cancellationReasons: ['TransactionConflict', 'None'],
      },
    ],
    [
      'throttle',
      'try_again',
      {
        name: 'ProvisionedThroughputExceededException',
        httpStatus: 400,
        dynamoDbRequestId,
        throttlingReasons: ['TableReadMaxOnDemandThroughputExceeded: arn:aws:dynamodb:::table/pets'],
      },
    ],
    ['error', 'outcome_unknown', { name: 'InternalServerError', httpStatus: 500, dynamoDbRequestId }],
    ['cutBefore', 'outcome_unknown', { code: 'ECONNRESET' }],
    ['stallAfter', 'outcome_unknown', { name: expect.stringMatching(/^(Abort|Timeout)Error$/) }],
  ])('has the cause of a 503 when DynamoDB fails with %j', async (fault, name, cause) => {
    const faultyStore = fault === 'stallAfter' ? shortTimeout : shortBudget;
    faultyStore.proxy.faultFor = () => fault;
    const request = { body: { name: 'Secret cats' }, headers: { 'Idempotency-Key': 'secret key' } };
    const { level, message } = await lineOf(faultyStore, () => faultyStore.staff('POST', '/pets/categories', request));
    expect([level, message.status, message.code]).toEqual(['ERROR', 503, name]);
    expect(message.error[0]).toEqual({ name, message: expect.any(String) });
    expect(message.error[1]).toMatchObject(cause);
    expect(JSON.stringify(message)).not.toMatch(/secret/i);
  });

  it('has the stack, build and DynamoDB request id of a 500', async () => {
    const broken = await startPetstore();
    broken.proxy.denial = () => 'everything';
    const { level, message } = await lineOf(broken, () => broken.anonymous('GET', '/pets/1'));
    await broken.stop();
    expect([level, message.status, message.code]).toEqual(['ERROR', 500, 'internal_error']);
    expect(message.build, 'the asset, by whose hash its source map is found').toMatch(/^[0-9a-f]{64}$/);
    expect(message.error).toEqual([
      {
        name: 'AccessDeniedException',
        message: expect.any(String),
        stack,
        httpStatus: 400,
        dynamoDbRequestId,
      },
    ]);
  });
});

describe('a logged error', () => {
  it('has the cancellation reasons of a transaction without their items', () => {
    const reasons = [
      { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', Item: { a: 'secret' } },
    ];
    const error = Object.assign(new Error('cancelled'), { CancellationReasons: [...reasons, { Code: 'None' }] });
    const [failure] = errorChainOf(error);
    expect(failure).toMatchObject({
      cancellationReasons: ['ConditionalCheckFailed: The conditional request failed', 'None'],
    });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('has its causes, five at most, with shortened messages', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(errorChainOf(loop).length).toBe(5);
    const thrown = new ApiError('try_again', undefined, { cause: new TypeError('x'.repeat(9_999), { cause: 'text' }) });
    expect(errorChainOf(thrown)).toMatchObject([
      { name: 'try_again', message: expect.stringMatching(/^The service is busy/) },
      { name: 'TypeError', message: 'x'.repeat(500) },
      { name: 'string' },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { dynamoDbRequestId, type Fault } from '../support/dynamodb-proxy.ts';
import { expectError } from '../support/expect-error.ts';
import { type ApiResponse, type Petstore, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore({ logs: true });
/** For requests that end with a 503. */
const shortBudget = usePetstore({ environment: { RETRY_BUDGET_MS: '300' } });

const post = (body: unknown, headers: Record<string, string> = {}) =>
  petstore.staff('POST', '/pets/categories', { body, headers });
const nameMessage =
  'body.name: expected a string of 1 to 100 characters in well-formed Unicode, without control characters';

describe('an invalid request', () => {
  it('has every invalid field of headers, path, query and body in one message', async () => {
    const response = await petstore.staff('PUT', '/pets/x?y=1', {
      headers: { 'If-Match': 'no-quotes' },
      body: { name: '', status: 'lost', color: 'red' },
    });
    const messages = [
      'header.If-Match: expected * or a list of entity tags',
      'path.petId: expected an id: 1 to 19 digits, the first not 0',
      'query.y: unknown parameter',
      nameMessage,
      'body.categoryId: required',
      'body.status: expected one of available, pending, sold',
      'body.color: unknown field',
    ];
    expectError(response, 400, 'invalid_request', messages.join('; '));
  });

  it.each([
    ['', 'body: required'],
    ['  ', 'body: required'],
    ['{', 'body: not valid JSON'],
    ['[]', 'body: expected an object'],
    ['null', 'body: expected an object'],
    ['"x"', 'body: expected an object'],
    ['{"name":"Cats","__proto__":{"a":1}}', 'body.__proto__: unknown field'],
    ['{"name":"Cats","id":1}', 'body.id: unknown field'],
    ['{"name":"\\ud800"}', nameMessage],
    ['{"name":"To\\u0085m"}', nameMessage],
    ['{"name":"Cats","name":"Dogs"}', 'body.name: given more than once'],
    ['{"name":"Cats","n\\u0061me":"Cats","name":""}', `body.name: given more than once; ${nameMessage}`],
    ['{"name":"Cats","x":[{"y":1,"y":1}]}', 'body.x: a key in it is given more than once; body.x: unknown field'],
  ])('with the body %j returns 400', async (body, message) => {
    expectError(await post(body), 400, 'invalid_request', message);
  });

  it('with a body that is not UTF-8 returns 400, and U+FFFD may be sent as an escape', async () => {
    const body = new Blob(['{"name":"Caf', Uint8Array.of(0xe9), '"}'], { type: 'application/json' });
    const headers = { Authorization: `Bearer ${await petstore.token('staff')}` };
    const response = await fetch(`${petstore.url}/pets/categories`, { method: 'POST', headers, body });
    expect(await response.json()).toMatchObject({ status: 400, message: expect.stringContaining('not valid UTF-8') });
    expect((await post('{"name":"\\ufffd"}')).status).toBe(201);
  });

  it.each(['limit=', 'limit=1.0', 'limit=1&limit=2', 'status=', 'id=', 'id=1,', 'categoryId=-1', 'Status=sold'])(
    'with the query ?%s returns 400',
    async query => {
      expectError(await petstore.anonymous('GET', `/pets?${query}`), 400, 'invalid_request', /^query\.\w+: /);
    },
  );
});

describe('the log line of a request', () => {
  const lineOf = async ({ logs }: Petstore, { headers }: ApiResponse) => {
    const isOfRequest = (line: string) => line.includes(headers.get('X-Request-Id')!);
    const lines = () => logs.join('').split('\n').filter(isOfRequest);
    await expect.poll(lines).toHaveLength(1);
    return JSON.parse(lines()[0]!);
  };

  it('has the client and the consumption, and no part of a body, a key or a token', async () => {
    const token = await petstore.token('staff');
    const request = { body: { name: 'Secret cats' }, headers: { 'Idempotency-Key': 'secret key' } };
    const line = await lineOf(petstore, await petstore.withToken(token)('POST', '/pets/categories', request));
    const message = { operation: 'createCategory', status: 201, clientId: 'staff', dynamoDbCalls: 1, readUnits: 0 };
    expect(line).toMatchObject({ level: 'INFO', message });
    for (const part of ['Secret', 'secret', ...token.split('.')]) expect(JSON.stringify(line)).not.toContain(part);
  });

  it.each<[Fault, string, object]>([
    [
      'conflict',
      'try_again',
      { httpStatus: 400, dynamoDbRequestId, cancellationReasons: ['TransactionConflict', 'None'] },
    ],
    ['cutBefore', 'outcome_unknown', { code: 'ECONNRESET' }],
  ])('has the cause of a 503 when DynamoDB fails with %s', async (fault, code, cause) => {
    shortBudget.proxy.faultFor = () => fault;
    const request = { body: { name: 'Secret cats' }, headers: { 'Idempotency-Key': 'secret key' } };
    const { level, message } = await lineOf(shortBudget, await shortBudget.staff('POST', '/pets/categories', request));
    expect([level, message]).toMatchObject(['ERROR', { status: 503, code, error: [{ name: code }, cause] }]);
    expect(JSON.stringify(message)).not.toMatch(/secret/i);
  });

  it('has the build, the stack and the DynamoDB request id of a 500', async () => {
    const { denial } = petstore.proxy;
    petstore.proxy.denial = () => 'everything';
    const { level, message } = await lineOf(petstore, await petstore.anonymous('GET', '/pets/1'));
    Object.assign(petstore.proxy, { denial, denials: [] });
    expect([level, message.status, message.code]).toEqual(['ERROR', 500, 'internal_error']);
    expect(message.build, 'the asset, by whose hash its source map is found').toMatch(/^[0-9a-f]{64}$/);
    const stack = expect.arrayContaining([expect.stringMatching(/^ {4}at /)]);
    expect(message.error).toMatchObject([{ name: 'AccessDeniedException', stack, httpStatus: 400, dynamoDbRequestId }]);
  });
});

import { describe, expect, it } from 'vitest';
import { awsRequestId } from '../support/aws-json.ts';
import { expectError } from '../support/expect-error.ts';
import { stockedPet } from '../support/fixtures.ts';
import { type ApiResponse, type Petstore, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

const nameMessage =
  'body.name: expected a string of 1 to 100 characters, without control characters, U+FFFE, U+FFFF and lone surrogates';

describe('an invalid request', () => {
  it('has every invalid field of headers, path, query and body in one message', async () => {
    const response = await petstore.staff('PUT', '/pets/x?y=1', {
      headers: { 'If-Match': 'no-quotes', 'Idempotency-Key': '' },
      body: { name: '', status: 'lost', color: 'red' },
    });
    const messages = [
      'header.If-Match: expected * or a list of entity tags',
      'header.Idempotency-Key: expected one key of 1 to 255 printable ASCII characters, quoted or bare',
      'path.petId: expected an id: 1 to 19 digits, the first not 0',
      'query.y: unknown parameter (known: none)',
      nameMessage,
      'body.categoryId: required',
      'body.status: expected one of available, pending, sold',
      'body.color: unknown field',
    ];
    expectError(response, 400, 'invalid_request', messages.join('; '));
  });

  it('names the known parameters of the query once', async () => {
    const response = await petstore.anonymous('GET', '/pets/categories?state=a&order=b');
    const known = 'query.state: unknown parameter (known: limit, cursor)';
    expectError(response, 400, 'invalid_request', `${known}; query.order: unknown parameter`);
  });

  it.each([
    ['  ', 'body: required'],
    ['[]', 'body: expected an object'],
    ['{"name":"Cats","__proto__":{"a":1}}', 'body.__proto__: unknown field'],
    ['{"name":"Cats","id":1}', 'body.id: unknown field'],
    [
      '{"name":"Cats","n\\u0061me":"Cats","name":""}',
      `body.name: given more than once; ${nameMessage}`,
    ],
    [
      '{"name":"Cats","x":[{"y":1,"y":1}]}',
      'body.x: a key in it is given more than once; body.x: unknown field',
    ],
  ])('with the body %j returns 400', async (body, message) => {
    const response = await petstore.staff('POST', '/pets/categories', { body });
    expectError(response, 400, 'invalid_request', message);
  });

  it('is none with U+FFFD as an escape: only the character itself means that the body is not UTF-8', async () => {
    const body = '{"name":"\\ufffd"}';
    expect((await petstore.staff('POST', '/pets/categories', { body })).status).toBe(201);
  });
});

describe('the log line of a request', () => {
  const secret = { body: { name: 'Secret cats' }, headers: { 'Idempotency-Key': 'secret key' } };
  const lineOf = async ({ logs }: Petstore, { headers }: ApiResponse) => {
    const isOfRequest = (line: string) => line.includes(headers.get('X-Request-Id')!);
    const lines = () => logs.join('').split('\n').filter(isOfRequest);
    await expect.poll(lines).toHaveLength(1);
    return JSON.parse(lines()[0]!);
  };

  it('has the client, and no part of a body, a key or a token', async () => {
    const token = await petstore.token('staff');
    const response = await petstore.withToken(token)('POST', '/pets/categories', secret);
    const line = await lineOf(petstore, response);
    expect(line).toMatchObject({ level: 'INFO', message: { status: 201, clientId: 'staff' } });
    for (const part of ['Secret', 'secret', ...token.split('.')])
      expect(JSON.stringify(line)).not.toContain(part);
  });

  it('has the id of the resource, and for the writes of orders that of the pet', async () => {
    const { staff, shop, anonymous } = petstore;
    const { id: petId } = await stockedPet(staff, 3);
    const key = { 'Idempotency-Key': 'the pet of an order' };
    const place = () => shop('POST', '/store/orders', { headers: key, body: { petId } });
    const resourceId = (await place()).body.id;
    const path = `/store/orders/${resourceId}`;
    const [pet, order, none] = [{ resourceId: petId }, { resourceId }, {}];
    const complete = { headers: key, body: { complete: true } };
    const update = () =>
      staff('PATCH', path, { headers: key, body: { shipDate: '2027-01-01T00:00:00Z' } });
    const cancel = () => shop('DELETE', path, { headers: key });
    const unequal = { headers: { 'If-Match': '"x"' }, body: {} };
    for (const [send, status, expected] of [
      [place, 201, { resourceId, petId }],
      [() => shop('POST', '/store/orders', { body: { petId, quantity: 9 } }), 409, { petId }],
      [() => shop('GET', path), 200, order],
      [() => staff('PATCH', path, unequal), 412, { resourceId, petId }],
      [update, 200, { resourceId, petId }],
      [update, 200, { resourceId, petId }],
      [() => shop('PATCH', path, complete), 403, none],
      [cancel, 204, { resourceId, petId }],
      [cancel, 204, order],
      [() => staff('PATCH', path, { body: {} }), 404, order],
      [() => anonymous('GET', `/pets?id=${petId}`), 200, none],
      [() => anonymous('GET', `/pets/${petId}`), 200, pet],
      [() => staff('PUT', `/store/inventory/${petId}`, { body: { quantity: 1 } }), 200, pet],
      [() => staff('PATCH', `/pets/${petId}`, { body: { status: 'lost' } }), 400, none],
      [() => staff('DELETE', `/pets/${petId}`), 204, pet],
      [() => anonymous('DELETE', `/pets/${petId}`), 401, none],
      [() => anonymous('GET', '/docs/page.js'), 200, none],
    ] as const) {
      const response = await send();
      // The gateway rejects a request without a token, so no function logs it.
      const { message } = status === 401 ? { message: {} } : await lineOf(petstore, response);
      const { resourceId: resource, petId: ofPet } = message;
      const logged = { ...(resource && { resourceId: resource }), ...(ofPet && { petId: ofPet }) };
      expect([response.status, logged], `${message.operation}`).toEqual([status, expected]);
    }
  });

  it('has the build, the stack and the DynamoDB request id of a 500', async () => {
    const { denial } = petstore.proxy;
    petstore.proxy.denial = () => 'everything';
    const { level, message } = await lineOf(petstore, await petstore.anonymous('GET', '/pets/1'));
    Object.assign(petstore.proxy, { denial, denials: [] });
    expect([level, message.status, message.code]).toEqual(['ERROR', 500, 'internal_error']);
    expect(message.build, 'the asset, by whose hash its source map is found').toMatch(
      /^[0-9a-f]{64}$/,
    );
    const stack = expect.arrayContaining([expect.stringMatching(/^ {4}at /)]);
    expect(message.error).toMatchObject([
      { name: 'AccessDeniedException', stack, httpStatus: 400, dynamoDbRequestId: awsRequestId },
    ]);
  });
});

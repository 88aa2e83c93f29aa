import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { createCategory } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  petstore.staff('POST', path, { body, headers });

const nameMessage =
  'body.name: expected a string of 1 to 100 characters in well-formed Unicode, without control characters';

describe('validation', () => {
  it('reports every invalid field of headers, path, query and body in one message', async () => {
    const response = await petstore.staff('PUT', '/pets/x?y=1', {
      headers: { 'If-Match': 'no-quotes' },
      body: { name: '', status: 'lost', colour: 'red' },
    });
    expectError(
      response,
      ...([400, 'invalid_request'] as const),
      [
        'header.If-Match: expected * or a list of entity tags',
        'path.petId: expected an id: 1 to 19 digits, the first not 0',
        'query.y: unknown parameter',
        nameMessage,
        'body.categoryId: required',
        'body.status: expected one of available, pending, sold',
        'body.colour: unknown field',
      ].join('; '),
    );
  });

  it('cuts a field name to 60 characters in the message', async () => {
    const { body } = await petstore.staff('POST', '/pets', {
      body: { name: 'Tom', categoryId: 1, ['x'.repeat(61)]: 1 },
    });
    expect(body.message).toBe(`body.${'x'.repeat(60)}: unknown field`);
  });

  it('replaces lone surrogates of a field name in the message, also where it cuts a pair', async () => {
    const messageFor = async (name: string) =>
      (await petstore.staff('POST', '/pets', { body: `{"name":"Tom","categoryId":1,"${name}":1}` })).body.message;
    expect(await messageFor('a\\ud800')).toBe('body.a\ufffd: unknown field');
    expect(await messageFor(`${'x'.repeat(59)}😺`)).toBe(`body.${'x'.repeat(59)}\ufffd: unknown field`);
  });

  it.each([
    ['', 'body: required'],
    ['  ', 'body: required'],
    ['{', 'body: not valid JSON'],
    ['[]', 'body: expected an object'],
    ['null', 'body: expected an object'],
    ['"x"', 'body: expected an object'],
    ['{"name":"Cats","__proto__":{"a":1}}', 'body.__proto__: unknown field'],
    ['{"name":"\\ud800"}', nameMessage],
    ['{"name":"   "}', nameMessage],
    ['{"name":7}', nameMessage],
    [
      '{"name":"Cats","description":null}',
      'body.description: expected a string of at most 1000 characters in well-formed Unicode',
    ],
    ['{"name":"Cats","id":1}', 'body.id: unknown field'],
    ['{"name":"Tom\\u0000"}', nameMessage],
    ['{"name":"To\\nm"}', nameMessage],
    ['{"name":"To\\u0085m"}', nameMessage],
    [
      '{"name":"Cats","description":"\\udc00"}',
      'body.description: expected a string of at most 1000 characters in well-formed Unicode',
    ],
    ['{"name":"Cats","name":"Dogs"}', 'body.name: given more than once'],
    ['{"name":"Cats","n\\u0061me":"Dogs"}', 'body.name: given more than once'],
    ['{"name":"Cats","n\\u0061me":"Cats","name":""}', `body.name: given more than once; ${nameMessage}`],
    [
      '{"name":"Cats","__proto__":1,"__proto__":2}',
      'body.__proto__: given more than once; body.__proto__: unknown field',
    ],
    ['{"name":"Cats","x":[{"y":{"z":1,"z":1}}]}', 'body.x: a key in it is given more than once; body.x: unknown field'],
  ])('returns 400 for the body %j', async (body, message) => {
    expectError(await post('/pets/categories', body), 400, 'invalid_request', message);
  });

  it('accepts a value that looks like a repeated key', async () => {
    const name = '\\"name\\":{\\\\';
    expect((await post('/pets/categories', `{"name" : "${name}", "description":"name"}`)).body.name).toBe('"name":{\\');
  });

  it('removes white space around a name, and keeps the lines of a description', async () => {
    const { body } = await post('/pets/categories', { name: '\tCats \n', description: 'Quiet.\nAwake at night.' });
    expect(body).toMatchObject({ name: 'Cats', description: 'Quiet.\nAwake at night.' });
  });

  it('returns 400 for a body that is not UTF-8, and accepts U+FFFD as an escape', async () => {
    const latin1 = new Blob(['{"name":"Caf', Uint8Array.of(0xe9), '"}'], { type: 'application/json' });
    const headers = { Authorization: `Bearer ${await petstore.token('staff')}` };
    const response = await fetch(`${petstore.url}/pets/categories`, { method: 'POST', headers, body: latin1 });
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        code: 'invalid_request',
        message: 'body: not valid UTF-8, or compressed; U+FFFD itself is sent as \\ufffd',
        status: 400,
      },
    ]);
    expect((await post('/pets/categories', '{"name":"\\ufffd"}')).status).toBe(201);
  });

  it('counts code points, not UTF-16 code units', async () => {
    expect((await post('/pets/categories', { name: '😺'.repeat(100), description: '' })).status).toBe(201);
    expectError(await post('/pets/categories', { name: '😺'.repeat(101) }), 400, 'invalid_request');
  });

  it.each([
    '?limit=0',
    '?limit=101',
    '?limit=1.0',
    '?limit=',
    '?limit=1&limit=2',
    '?status=lost',
    '?status=',
    '?id=',
    '?id=0',
    '?id=1,',
    '?id=1&limit=2',
    '?categoryId=-1',
    '?Status=sold',
  ])('returns 400 for GET /pets%s', async query => {
    expectError(await petstore.anonymous('GET', `/pets${query}`), 400, 'invalid_request', /^query\.\w+: /);
  });

  it('accepts up to 100 distinct ids', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => index + 1);
    expect((await petstore.anonymous('GET', `/pets?id=${ids}&id=1`)).body).toEqual([]);
    expectError(
      await petstore.anonymous('GET', `/pets?id=${ids},101`),
      400,
      'invalid_request',
      'query.id: expected at most 100 distinct ids',
    );
  });
});

describe('a request body', () => {
  it('above 16384 bytes returns 413, before its media type is checked', async () => {
    const body = (size: number) => `{"name":"Cats"${' '.repeat(size - 15)}}`;
    expect((await post('/pets/categories', body(16_384))).status).toBe(201);
    expectError(
      await post('/pets/categories', body(16_385), { 'Content-Type': 'text/plain' }),
      413,
      'payload_too_large',
    );
    expectError(await post('/pets/categories', `{"name":"${'é'.repeat(8_190)}"}`), 413, 'payload_too_large');
  });

  it('of another media type returns 415, before query and JSON are checked', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/merge-patch+json', 'application/jsonp']) {
      expectError(await post('/pets/categories?x=1', '{', { 'Content-Type': type }), 415, 'unsupported_media_type');
    }
  });

  it.each([
    ['charset=utf-8', 201],
    ['charset="UTF-8"', 201],
    ['Charset=utf8', 201],
    ['profile=x;charset=utf-8', 201],
    ['profile=x', 201],
    ['charset=iso-8859-1', 415],
    ['charset="utf-16"', 415],
    ['charset=', 415],
    ['profile=x; charset=latin1', 415],
  ])('with the parameter %s returns %d', async (parameter, status) => {
    const headers = { 'Content-Type': `application/json; ${parameter}` };
    expect((await post('/pets/categories', { name: 'Cats' }, headers)).status).toBe(status);
  });

  it('without a media type, or with parameters, is read as JSON', async () => {
    expect(
      (await post('/pets/categories', { name: 'Cats' }, { 'Content-Type': 'Application/JSON; charset=utf-8' })).status,
    ).toBe(201);
    const headers = { Authorization: `Bearer ${await petstore.token('staff')}` };
    const body = new Blob([JSON.stringify({ name: 'Cats' })]);
    const response = await fetch(`${petstore.url}/pets/categories`, { method: 'POST', headers, body });
    expect(response.status).toBe(201);
  });

  it('of a DELETE is ignored', async () => {
    const { id } = await createCategory(petstore.staff);
    const response = await petstore.staff('DELETE', `/pets/categories/${id}`, {
      body: '{',
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(response.status).toBe(204);
  });
});

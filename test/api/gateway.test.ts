import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectCommonHeaders, expectError } from '../support/expect-error.ts';
import { startPetstore, synthesizeShared, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

/** `fetch` adds headers, decodes bodies, and cannot send a URL as the request target. */
const send = async (
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: Buffer,
) => {
  const { hostname, port } = new URL(petstore.url);
  const sent = request({ hostname, port, path, headers, method }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
};

it.each(['/nothing', '/PETS'])(
  'the unknown path %s returns 404 not_found, for an invalid token too',
  async path => {
    for (const method of ['GET', 'DELETE'])
      expectError(await petstore.withToken('garbage')(method, path), 404, 'not_found');
  },
);

// Media types that clients send.
it.each([
  'application/json; charset=utf-8',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded;charset=UTF-8',
  'multipart/form-data; boundary=----x',
  'application/octet-stream',
])('a path without a function returns its own response for a body of %s', async type => {
  const sent = { body: '<x', headers: { 'Content-Type': type } };
  expectError(await petstore.anonymous('POST', '/nothing', sent), 404, 'not_found');
  expectError(await petstore.anonymous('PATCH', '/pets', sent), 405, 'method_not_allowed');
  expect((await petstore.anonymous('OPTIONS', '/pets', sent)).status).toBe(204);
});

describe('a request', () => {
  it.each([
    ['/pets/categories/', 200],
    ['/pets?status={|', 400],
  ])('for %s returns %i', async (path, status) => {
    expect((await petstore.anonymous('GET', path)).status).toBe(status);
  });

  it('cannot set its id or the scheme of links, but its method', async () => {
    const headers = { 'X-Request-Id': 'mine', 'X-Forwarded-Proto': 'https' };
    const response = await petstore.staff('POST', '/pets/categories', {
      headers,
      body: { name: 'Cats' },
    });
    expectCommonHeaders(response);
    expect(response.headers.get('Location')).toMatch(/^http:/);
    // API Gateway returned this 405 when it was recorded.
    const overridden = await send('/docs', { 'X-HTTP-Method-Override': 'delete' });
    expect([overridden.status, overridden.headers['x-amzn-requestid']]).toEqual([
      405,
      expect.stringMatching(/./),
    ]);
  });

  it('over 10 MB returns API Gateway’s own 413', async () => {
    const { status, body } = await send('/pets', {}, 'POST', Buffer.alloc(11 * 1024 * 1024, 'x'));
    expect([status, JSON.parse(body.toString())]).toEqual([413, { message: 'Request Too Long' }]);
  });
});

describe('compression', () => {
  it('changes neither bodies nor the strong ETag', async () => {
    const Authorization = `Bearer ${await petstore.token('staff')}`;
    const codes = Array.from({ length: 1_000 }, (_, index) => 0x4e00 + ((index * 7_919) % 20_000));
    const category = { name: 'Cats', description: String.fromCodePoint(...codes) };
    const packed = { Authorization, 'Content-Encoding': 'gzip' };
    const created = await send(
      '/pets/categories',
      packed,
      'POST',
      gzipSync(JSON.stringify(category)),
    );
    const path = new URL(created.headers.location!).pathname;
    const [plain, encoded] = [
      await send(path, {}),
      await send(path, { 'Accept-Encoding': 'gzip' }),
    ];
    expect(JSON.parse(plain.body.toString())).toMatchObject(category);
    expect(gunzipSync(encoded.body)).toEqual(plain.body);
    expect(encoded.headers).toMatchObject({
      etag: plain.headers.etag,
      'content-encoding': 'gzip',
      'content-length': `${encoded.body.length}`,
      vary: 'Accept-Encoding',
    });
  });

  it('with an unknown coding returns 415', async () => {
    const { status, body } = await send(
      '/pets',
      { 'Content-Encoding': 'br' },
      'POST',
      Buffer.alloc(1_024, 'x'),
    );
    expect([status, JSON.parse(body.toString()).code]).toEqual([415, 'unsupported_media_type']);
  });
});

it('the throttle of a method has its own burst, or else that of the stage', async () => {
  const settings = {
    limits: { listPets: { rate: 0, burst: 3, timeout: 5 } },
    defaultThrottle: { rate: 0, burst: 2 },
  };
  const small = await startPetstore({
    assembly: await synthesizeShared({ stage: 'local', settings }),
  });
  const statuses = async (count: number, path: string) => {
    const responses = await Promise.all(
      Array.from({ length: count }, () => small.anonymous('GET', path)),
    );
    return responses.map(({ status }) => status).sort();
  };
  expect(await statuses(5, '/pets')).toEqual([200, 200, 200, 429, 429]);
  expect(await statuses(4, '/nothing')).toEqual([404, 404, 429, 429]);
  expect((await small.anonymous('OPTIONS', '/pets')).status).toBe(204);
  await small.stop();
});

it('the local server listens only on the loopback interface', async () => {
  await expect(fetch(petstore.url.replace('127.0.0.1', '127.0.0.2'))).rejects.toMatchObject({
    cause: { code: 'ECONNREFUSED' },
  });
});

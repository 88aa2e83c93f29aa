import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { expectCommonHeaders, expectError } from '../support/expect-error.ts';
import { type SentRequest, send as sendTo } from '../support/http.ts';
import { startPetstore, synthesizeShared, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
/** Without headers of the test client. */
const send = async (path: string, request?: SentRequest) => {
  const { status, headers, body } = await sendTo(petstore.url + path, request);
  return { status, headers: Object.fromEntries(headers), body, text: String(body) };
};

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

it.each([
  ['/pets/categories/', 200],
  ['/pets?status={|', 400],
])('a request for %s returns %i', async (path, status) => {
  expect((await petstore.anonymous('GET', path)).status).toBe(status);
});

it('a request cannot set its id or the scheme of links, but its method', async () => {
  const headers = { 'X-Request-Id': 'mine', 'X-Forwarded-Proto': 'https' };
  const body = { name: 'Cats' };
  const response = await petstore.staff('POST', '/pets/categories', { headers, body });
  expectCommonHeaders(response);
  expect(response.headers.get('Location')).toMatch(/^http:/);
  // API Gateway returned this 405 when it was recorded.
  const overridden = await send('/docs', { headers: { 'X-HTTP-Method-Override': 'delete' } });
  expect([overridden.status, overridden.headers['x-amzn-requestid']]).toEqual([
    405,
    expect.stringMatching(/./),
  ]);
});

it('a request over 10 MB returns API Gateway’s own 413', async () => {
  const { status, text } = await send('/pets', { method: 'POST', body: Buffer.alloc(11e6, 'x') });
  expect([status, JSON.parse(text)]).toEqual([413, { message: 'Request Too Long' }]);
});

it('compression changes neither bodies nor the strong ETag', async () => {
  const codes = Array.from({ length: 1_000 }, (_, index) => 0x4e00 + ((index * 7_919) % 20_000));
  const category = { name: 'Cats', description: String.fromCodePoint(...codes) };
  const created = await send('/pets/categories', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await petstore.token('staff')}`,
      'Content-Encoding': 'gzip',
    },
    body: gzipSync(JSON.stringify(category)),
  });
  const path = new URL(created.headers.location!).pathname;
  const plain = await send(path);
  const encoded = await send(path, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(JSON.parse(plain.text)).toMatchObject(category);
  expect(gunzipSync(encoded.body)).toEqual(plain.body);
  expect(encoded.headers).toMatchObject({
    etag: plain.headers.etag,
    'content-encoding': 'gzip',
    'content-length': `${encoded.body.length}`,
    vary: 'Accept-Encoding',
  });
});

it('a body with an unknown Content-Encoding returns 415', async () => {
  const headers = { 'Content-Encoding': 'br' };
  const { status, text } = await send('/pets', {
    method: 'POST',
    headers,
    body: 'x'.repeat(1_024),
  });
  expect([status, JSON.parse(text).code]).toEqual([415, 'unsupported_media_type']);
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

import { gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { readApi } from '../../../cdk/local/gateway/api.ts';
import { createGateway, maxPayload } from '../../../cdk/local/gateway/gateway.ts';
import { scopes } from '../../../lib/scopes.ts';
import { sharedAssembly } from '../../support/petstore.ts';

const api = { ...readApi(sharedAssembly()), minimumCompressionSize: 0 };
// biome-ignore lint/suspicious/noExplicitAny: the event
const invoke = vi.fn(async (_: any): Promise<object> => ({}));
const authorize = vi.fn(async () => undefined);
const onResponse = vi.fn();
afterEach(() => void vi.clearAllMocks().restoreAllMocks());

const functionOf = () => ({ invoke });
const gateway = createGateway(api, authorize, functionOf, () => undefined, onResponse);
const send = (headers: Record<string, string> = {}, body = Buffer.alloc(0), path = '/pets', query = '') => {
  const request = { method: 'GET', path, query, body, host: 'localhost', sourceIp: '127.0.0.1' };
  return gateway({ ...request, headers: Object.entries(headers) });
};
const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).status;

// test/api/operations.test.ts tests that the cause of a 502 is reported.
it('the gateway accepts a body of 10 MB and header values of 10,240 bytes together, and rejects one more byte', async () => {
  const bodies = [0, 1].map(more => statusOf({}, Buffer.alloc(maxPayload + more, 'x')));
  const headers = [0, 1].map(more => statusOf({ a: 'é'.repeat(100), b: 'x'.repeat(10_040 + more) }));
  expect(await Promise.all([...bodies, ...headers])).toEqual([200, 413, 200, 431]);
});

it('the gateway removes the Content-Encoding of a body that it decompressed', async () => {
  await send({ 'content-encoding': 'gzip', a: 'b' }, gzipSync('{"name":"Cats"}'));
  const [{ body, headers }] = invoke.mock.calls[0]!;
  expect([body, headers.a, headers['content-encoding']]).toEqual(['{"name":"Cats"}', 'b', undefined]);
});

it('the gateway passes the last of several Authorization headers to the authorizer, with the scopes of the method', async () => {
  const status = await statusOf({ authorization: 'one', Authorization: 'two' }, undefined, '/store/inventory');
  expect([status, authorize.mock.calls]).toEqual([401, [['two', scopes.map(scope => `petstore/${scope}`)]]]);
});

it('the gateway passes each response to the request log, before compression', async () => {
  invoke.mockResolvedValueOnce({ statusCode: 201, body: 'x' });
  const { headers } = await send({ 'Accept-Encoding': 'gzip' }, undefined, '/pets', 'a=1');
  const response = { method: 'GET', target: '/pets?a=1', status: 201, body: 'x', milliseconds: expect.any(Number) };
  expect(onResponse.mock.calls).toEqual([[response]]);
  expect(headers.map(([name]) => name)).toEqual(['Content-Type', 'Content-Encoding', 'x-amzn-RequestId']);
});

it('the gateway clears the timer of the integration timeout when the function responds', async () => {
  const set = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(4_711 as never);
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  await send();
  expect([set.mock.calls.length, clear.mock.calls]).toEqual([1, [[4_711]]]);
});

import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../../cdk/local/gateway/api.ts';
import { createGateway, maxPayload } from '../../../cdk/local/gateway/gateway.ts';
import type { LambdaFunction } from '../../../cdk/local/lambda/lambda-function.ts';

const method = { throttle: { rate: 100, burst: 100 }, target: { function: 'F', timeout: 50 } };
const gatewayResponse = (status: number) => ({ status, headers: {}, body: '' });
const api: Omit<Api, 'resources'> = {
  id: 'api',
  stage: 'local',
  minimumCompressionSize: 0,
  gatewayResponses: new Map([
    ['UNAUTHORIZED', gatewayResponse(401)],
    ['INTEGRATION_FAILURE', gatewayResponse(502)],
  ]),
  functions: new Map(),
  clients: [],
};

const invoke = vi.fn<LambdaFunction['invoke']>(async () => ({}));
const authorize = vi.fn(async () => undefined);
const report = vi.fn();
const onResponse = vi.fn();
afterEach(() => {
  vi.clearAllMocks();
  vi.restoreAllMocks();
});

/** Sends a request to a gateway with one function, whose method may have scopes. */
const send = (sent: Record<string, string> = {}, body = Buffer.alloc(0), query = '', scopes?: readonly string[]) => {
  const headers = Object.entries(sent);
  const resources = [{ path: '/', methods: new Map([['POST', scopes ? { ...method, scopes } : method]]) }];
  const functionOf = () => ({ invoke }) as unknown as LambdaFunction;
  const gateway = createGateway({ ...api, resources }, authorize, functionOf, report, onResponse);
  return gateway({ method: 'POST', path: '/', query, headers, body, host: 'localhost', sourceIp: '127.0.0.1' });
};

describe('the gateway', () => {
  it('accepts a body of 10 MB, and rejects one more byte', async () => {
    expect((await send({}, Buffer.alloc(maxPayload, 'x'))).status).toBe(200);
    expect((await send({}, Buffer.alloc(maxPayload + 1, 'x'))).status).toBe(413);
  });

  it('accepts header values of 10,240 bytes together, and rejects one more byte', async () => {
    expect((await send({ a: 'é'.repeat(100), b: 'x'.repeat(10_040) })).status).toBe(200);
    expect((await send({ a: 'é'.repeat(100), b: 'x'.repeat(10_041) })).status).toBe(431);
  });

  it('removes the Content-Encoding of a body that it decompressed', async () => {
    await send({ 'content-encoding': 'gzip', a: 'b' }, gzipSync('{"name":"Cats"}'));
    const event = invoke.mock.calls[0]![0] as APIGatewayProxyEvent;
    expect([event.body, event.headers.a, event.headers['content-encoding']]).toEqual([
      '{"name":"Cats"}',
      'b',
      undefined,
    ]);
  });

  it('reports why a request has a 502: the error of a function, or a malformed response', async () => {
    const failed = new Error('failed');
    invoke.mockRejectedValueOnce(failed).mockResolvedValueOnce({ statusCode: 42 });
    expect([(await send()).status, (await send()).status]).toEqual([502, 502]);
    expect(report.mock.calls).toEqual([[failed], [new Error('F returned a malformed proxy response')]]);
  });

  it('passes the last of several Authorization headers to the authorizer, with the scopes of the method', async () => {
    const { status } = await send({ authorization: 'one', Authorization: 'two' }, undefined, '', ['p/orders']);
    expect([status, authorize.mock.calls]).toEqual([401, [['two', ['p/orders']]]]);
  });

  it('passes each response to the request log, before compression', async () => {
    invoke.mockResolvedValueOnce({ statusCode: 201, body: 'x' });
    const { headers } = await send({ 'Accept-Encoding': 'gzip' }, undefined, 'a=1');
    const response = { method: 'POST', target: '/?a=1', status: 201, body: 'x', milliseconds: expect.any(Number) };
    expect(onResponse.mock.calls).toEqual([[response]]);
    expect(headers.map(([name]) => name)).toEqual(['Content-Type', 'Content-Encoding', 'x-amzn-RequestId']);
  });

  it('clears the timer of the integration timeout when the function responds', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    await send();
    const started = set.mock.results.filter((_, index) => set.mock.calls[index]![1] === method.target.timeout);
    expect(started).toHaveLength(1);
    expect(clear).toHaveBeenCalledWith(started[0]!.value);
  });
});

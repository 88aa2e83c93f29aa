import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../../cdk/local/gateway/api.ts';
import { createGateway, maxPayload } from '../../../cdk/local/gateway/gateway.ts';
import type { LambdaFunction } from '../../../cdk/local/lambda/lambda-function.ts';

const method = { throttle: { rate: 100, burst: 100 }, target: { function: 'F', timeout: 50 } };
const api: Api = {
  id: 'api',
  stage: 'local',
  minimumCompressionSize: 0,
  resources: [],
  gatewayResponses: new Map([
    ['UNAUTHORIZED', { status: 401, headers: {}, body: '' }],
    ['INTEGRATION_FAILURE', { status: 502, headers: {}, body: '' }],
  ]),
  functions: new Map(),
  clients: [],
};

interface Options {
  readonly authorize?: (authorization: string | undefined, scopes: readonly string[]) => Promise<undefined>;
  readonly report?: (error: unknown) => void;
  readonly onResponse?: (response: object) => void;
  readonly scopes?: readonly string[];
  readonly query?: string;
}

/** Sends a request to a gateway with one function. */
const send = (
  headers: readonly (readonly [string, string])[],
  body: Buffer,
  invoke: LambdaFunction['invoke'] = async () => ({}),
  { authorize = async () => undefined, report = () => undefined, onResponse, scopes, query = '' }: Options = {},
) => {
  const methods = new Map([['POST', scopes ? { ...method, scopes } : method]]);
  const gateway = createGateway(
    { ...api, resources: [{ path: '/', methods }] },
    authorize,
    () => ({ invoke }) as LambdaFunction,
    report,
    onResponse,
  );
  return gateway({ method: 'POST', path: '/', query, headers, body, host: 'localhost', sourceIp: '127.0.0.1' });
};
const noBody = Buffer.alloc(0);
/** Headers, from `name value`. */
const pairs = (...headers: string[]) => headers.map(header => header.split(' ') as [string, string]);

afterEach(() => vi.restoreAllMocks());

describe('the gateway', () => {
  it('accepts a body of 10 MB, and rejects one more byte', async () => {
    expect((await send([], Buffer.alloc(maxPayload, 'x'))).status).toBe(200);
    expect((await send([], Buffer.alloc(maxPayload + 1, 'x'))).status).toBe(413);
  });

  it('accepts header values of 10,240 bytes together, and rejects one more byte', async () => {
    const values = ['x'.repeat(10_000), 'é'.repeat(100)];
    const sendWith = (last: string) => send(pairs(...[...values, last].map(value => `a ${value}`)), noBody);
    const [accepted, rejected] = [await sendWith('x'.repeat(40)), await sendWith('x'.repeat(41))];
    expect([accepted.status, rejected.status]).toEqual([200, 431]);
  });

  it('removes the Content-Encoding of a body that it decompressed', async () => {
    const headers = pairs('content-encoding gzip', 'a b');
    let received: APIGatewayProxyEvent | undefined;
    await send(headers, gzipSync('{"name":"Cats"}'), async event => {
      received = event as APIGatewayProxyEvent;
      return {};
    });
    expect(received?.body).toBe('{"name":"Cats"}');
    expect(received?.headers).toMatchObject({ a: 'b' });
    expect(received?.headers).not.toHaveProperty('content-encoding');
  });

  it('reports why a request has a 502: the error of a function, or a malformed response', async () => {
    const reports: unknown[] = [];
    const sendTo = (invoke: LambdaFunction['invoke']) => send([], noBody, invoke, { report: e => reports.push(e) });
    const failed = new Error('failed');
    const results = [await sendTo(() => Promise.reject(failed)), await sendTo(async () => ({ statusCode: 42 }))];
    expect(results.map(({ status }) => status)).toEqual([502, 502]);
    expect(reports).toEqual([failed, new Error('F returned a malformed proxy response')]);
  });

  it('passes the last of several Authorization headers to the authorizer, with the scopes of the method', async () => {
    const calls: unknown[][] = [];
    const authorize = async (...parameters: unknown[]) => {
      calls.push(parameters);
      return undefined;
    };
    const headers = pairs('authorization one', 'Authorization two');
    const { status } = await send(headers, noBody, undefined, { authorize, scopes: ['p/orders'] });
    expect([status, calls]).toEqual([401, [['two', ['p/orders']]]]);
  });

  it('passes each response to the request log, before compression', async () => {
    const log: object[] = [];
    const headers = pairs('X-HTTP-Method-Override post', 'Accept-Encoding gzip');
    const onResponse = (response: object) => void log.push(response);
    const sent = await send(headers, noBody, async () => ({ statusCode: 201, body: 'x' }), {
      onResponse,
      query: 'a=1',
    });
    expect(log).toEqual([
      { method: 'POST', target: '/?a=1', status: 201, body: 'x', milliseconds: expect.any(Number) },
    ]);
    expect(sent.headers.map(([name]) => name)).toEqual(['Content-Type', 'Content-Encoding', 'x-amzn-RequestId']);
  });

  it('clears the timer of the integration timeout when the function responds', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    await send([], noBody);
    const started = set.mock.results.filter((_, index) => set.mock.calls[index]![1] === method.target.timeout);
    expect(started).toHaveLength(1);
    expect(clear).toHaveBeenCalledWith(started[0]!.value);
  });
});

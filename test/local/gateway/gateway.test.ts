import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../../cdk/local/gateway/api.ts';
import { createGateway, maxPayload } from '../../../cdk/local/gateway/gateway.ts';
import type { LambdaFunction } from '../../../cdk/local/lambda/lambda-function.ts';

const method = { throttle: { rate: 100, burst: 100 }, target: { function: 'F', timeout: 50 } };
const api: Api = {
  id: 'api',
  stage: 'local',
  minimumCompressionSize: 0,
  resources: [{ path: '/', methods: new Map([['POST', method]]) }],
  gatewayResponses: new Map([
    ['INTEGRATION_FAILURE', { status: 502, headers: {}, body: '' }],
    ['INTEGRATION_TIMEOUT', { status: 504, headers: {}, body: '' }],
  ]),
  functions: new Map(),
  clients: [],
};

/** Sends a request to a gateway with one function. */
const send = (
  headers: readonly (readonly [string, string])[],
  body: Buffer,
  invoke: LambdaFunction['invoke'] = async () => ({}),
) => {
  const gateway = createGateway(
    api,
    async () => undefined,
    () => ({ invoke }) as LambdaFunction,
    () => undefined,
  );
  return gateway({ method: 'POST', path: '/', query: '', headers, body, host: 'localhost', sourceIp: '127.0.0.1' });
};
const noBody = Buffer.alloc(0);

describe('the gateway', () => {
  it('accepts a body of 10 MB, and rejects one more byte', async () => {
    expect((await send([], Buffer.alloc(maxPayload, 'x'))).status).toBe(200);
    expect((await send([], Buffer.alloc(maxPayload + 1, 'x'))).status).toBe(413);
  });

  it('accepts header values of 10,240 bytes together, and rejects one more byte', async () => {
    const values = ['x'.repeat(10_000), 'é'.repeat(100)];
    const statusOf = async (last: string) =>
      (
        await send(
          [...values, last].map(value => ['A', value] as const),
          noBody,
        )
      ).status;
    expect([await statusOf('x'.repeat(40)), await statusOf('x'.repeat(41))]).toEqual([200, 431]);
  });

  it('removes the Content-Encoding of a body that it decompressed', async () => {
    const headers = [
      ['content-encoding', 'gzip'],
      ['a', 'b'],
    ] as const;
    let received: APIGatewayProxyEvent | undefined;
    await send(headers, gzipSync('{"name":"Cats"}'), async event => {
      received = event as APIGatewayProxyEvent;
      return {};
    });
    expect(received?.body).toBe('{"name":"Cats"}');
    expect(received?.headers).toMatchObject({ a: 'b' });
    expect(received?.headers).not.toHaveProperty('content-encoding');
  });

  it('returns the gateway response for a timeout when a function does not respond, and another when it fails', async () => {
    expect((await send([], noBody, () => new Promise(() => undefined))).status).toBe(504);
    expect((await send([], noBody, () => Promise.reject(new Error('failed')))).status).toBe(502);
  });
});

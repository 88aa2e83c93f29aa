import { expect, it, onTestFinished } from 'vitest';
import { maxPayload } from '../../cdk/local/gateway/gateway.ts';
import { type Listener, listen, loopback, receiveBody, toGatewayRequest } from '../../cdk/local/http-server.ts';
import { send } from '../support/http.ts';

const serve = async (listener: Listener) => {
  const server = await listen(listener, loopback, 0, () => undefined);
  onTestFinished(server.stop);
  return `http://${loopback}:${server.port}`;
};

it('a client may reuse a connection after a pause of up to 75 seconds', async () => {
  const { headers } = await send(await serve(async (_, response) => response.end()));
  expect(headers.get('Keep-Alive')).toBe('timeout=75');
});

it('a body is received up to one byte above the limit of the gateway', async () => {
  const url = await serve(async (request, response) => response.end(`${(await receiveBody(request)).length}`));
  const { body } = await send(url, { method: 'POST', body: Buffer.alloc(maxPayload + 100_000) });
  expect(Number(body)).toBe(maxPayload + 1);
});

// test/api/gateway.test.ts tests path, query and host of such a target.
it('the host of a target in absolute form replaces the Host header', async () => {
  const url = await serve(async (request, response) =>
    response.end(JSON.stringify(toGatewayRequest(request, Buffer.alloc(0), 0).headers)),
  );
  const { body } = await send(url, { path: 'http://pets.example.com/pets', headers: { HOST: 'other.test' } });
  expect(JSON.parse(body.toString())).toContainEqual(['HOST', 'pets.example.com']);
});

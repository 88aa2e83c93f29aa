import { resolve } from 'node:path';
import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { commandOf } from '../../cdk/command.ts';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { connect, ensureTable } from '../../cdk/local/engine/table.ts';
import { eventFeedPath } from '../../cdk/local/events/local-events.ts';
import { maxPayload } from '../../cdk/local/gateway/gateway.ts';
import { withUnavailability } from '../../cdk/local/gateway/unavailable.ts';
import {
  type Listener,
  listen,
  loopback,
  receiveBody,
  toGatewayRequest,
} from '../../cdk/local/http-server.ts';
import { serverDefinition, toStartOptions } from '../../cdk/local/options.ts';
import { startServer } from '../../cdk/local/server.ts';
import { localSettings } from '../../cdk/synthesis/synthesize.ts';
import { send, tokenOf } from '../support/http.ts';
import { clientOf, sharedAssembly, synthesizeShared } from '../support/petstore.ts';

// Commands set them.
for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, process.env[name]);
const stack = {
  assembly: sharedAssembly(),
  endpoint: inject('endpoint'),
  tableName: 'petstore-server',
};
const options = { ...stack, signingKey: await loadSigningKey(), log: () => undefined };

it('an unavailable server fails with the 503 of the operation, but serves its page', async () => {
  const onResponse = vi.fn();
  const { url, stop } = await startServer({ ...options, unavailable: 1, onResponse });
  onTestFinished(stop);
  const { headers, body } = await clientOf(url, undefined)('GET', '/pets');
  expect([headers.get('Retry-After'), body.code]).toEqual(['1', 'try_again']);
  await clientOf(url, undefined)('GET', '/openapi.json');
  expect(onResponse.mock.calls).toMatchObject([[{ status: 503 }], [{ status: 200 }]]);
});

it.each<
  [
    what: string,
    request: string,
    random: number[],
    outcome: string | number,
    calls: number,
    returned?: number,
  ]
>([
  ['a read', 'GET /pets', [0.2], 200, 1],
  ['a rejected read', 'GET /pets', [0.19], 'try_again', 0],
  ['a write', 'POST /store/orders', [0.2], 200, 1],
  ['a rejected write', 'POST /store/orders', [0.19, 0.49], 'try_again', 0],
  [
    'a lost response to an executed write',
    'POST /store/orders',
    [0.19, 0.5, 0.49],
    'outcome_unknown',
    1,
  ],
  ['a lost write', 'POST /store/orders', [0.19, 0.5, 0.5], 'outcome_unknown', 0],
  ['a known error', 'POST /store/orders', [0.19, 0.5, 0.49], 409, 1, 409],
  ['the document', 'GET /openapi.json', [], 200, 1],
])(
  'a share of 0.2: %s, %s with the numbers %j, is %s after %i calls',
  async (_, request, random, ...expected) => {
    const [outcome, invocations, statusCode = 200] = expected;
    const invoke = vi.fn(async () => ({ statusCode, body: '{}' }));
    const [httpMethod, resource] = request.split(' ');
    const left = [...random];
    const next = () => left.shift()!;
    const functionOf = withUnavailability(() => ({ invoke }), 0.2, next);
    const result = await functionOf('F').invoke({
      httpMethod,
      resource,
      requestContext: { requestId: 'r' },
    });
    const { statusCode: status, body } = result as { statusCode: number; body: string };
    expect([JSON.parse(body).code ?? status, invoke.mock.calls.length, left]).toEqual([
      outcome,
      invocations,
      [],
    ]);
  },
);

it('the options of npm start have defaults', async () => {
  // docs.github.com/en/codespaces/developing-in-a-codespace/default-environment-variables-for-your-codespace
  const codespace = {
    CODESPACE_NAME: 'octocat-parakeet',
    GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: 'app.github.dev',
  };
  const optionsOf = async (args: string, environment = {}) => {
    let read: object | undefined;
    const command = commandOf(serverDefinition('npm start'), values => {
      read = toStartOptions(values);
    });
    const [print, note] = [vi.fn(), vi.fn()];
    await command(args.split(' '), { environment, now: Date.now, print, note });
    return read;
  };
  expect(await optionsOf('--data folder --webhook HTTP://LOCALHOST:4000/')).toEqual({
    host: '127.0.0.1',
    port: 3000,
    throttle: false,
    unavailable: 0,
    isPrivate: false,
    folder: resolve('folder'),
    webhook: 'http://localhost:4000/',
  });
  expect(await optionsOf('--memory --public-url https://Pets.example.com/shop/')).toMatchObject({
    publicUrl: 'https://pets.example.com/shop',
  });
  expect(await optionsOf('--memory --port 3001', codespace)).toMatchObject({
    publicUrl: 'https://octocat-parakeet-3001.app.github.dev',
  });
});

it('behind a tunnel, callers get the public URL, commands that of this machine', async () => {
  const publicUrl = 'https://octocat-parakeet-3001.app.github.dev';
  const settings = await localSettings({ publicUrl, webhook: undefined, throttle: false });
  const assembly = await synthesizeShared({ stage: 'local', settings });
  const { url, stop } = await startServer({ ...options, assembly, tableName: 'petstore-tunnel' });
  onTestFinished(stop);
  const client = clientOf(url, await tokenOf(url));
  const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' };
  for (const name of ['Cats', 'Dogs']) {
    const { headers: received, body } = await client('POST', '/pets/categories', {
      headers,
      body: { name },
    });
    expect(received.get('Location')).toBe(`${publicUrl}/pets/categories/${body.id}`);
  }
  const list = await client('GET', '/pets/categories?limit=1', { headers });
  expect(list.headers.get('Link')).toMatch(new RegExp(`^<${publicUrl}/pets/categories\\?`));
  const { servers, components } = (await client('GET', '/openapi.json', { headers })).body;
  expect(servers[0].url).toBe(publicUrl);
  expect(components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(
    `${publicUrl}/oauth2/token`,
  );
  expect((await client('GET', '/local')).body).toMatchObject({
    ApiUrl: `${url}/`,
    TokenUrl: `${url}/oauth2/token`,
  });
});

it('a private server issues tokens for its own secret alone, and serves no page of another site', async () => {
  const { url, stop } = await startServer({ ...options, privateSecret: 'own' });
  onTestFinished(stop);
  const { port } = new URL(url);
  const statuses = async (from: object, secret = 'own') => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...from };
    const form = { grant_type: 'client_credentials', client_id: 'staff', client_secret: secret };
    const token = await send(`${url}/oauth2/token`, {
      method: 'POST',
      headers,
      body: `${new URLSearchParams(form)}`,
    });
    const reads = await Promise.all(
      ['/pets', '/local'].map(path => send(url + path, { headers: { ...from } })),
    );
    const readers = [token, reads[0]!].map(response =>
      response.headers.get('Access-Control-Allow-Origin'),
    );
    return [token, ...reads].map(({ status }) => status).concat(readers as never);
  };
  const localhost = { Origin: `http://localhost:${port}`, Host: `localhost:${port}` };
  expect(await statuses({}, 'local')).toEqual([400, 200, 200, url, url]);
  for (const from of [{}, { Origin: url }])
    expect(await statuses(from)).toEqual([200, 200, 200, url, url]);
  expect(await statuses(localhost)).toEqual([200, 200, 200, localhost.Origin, localhost.Origin]);
  // The last name resolves to this machine (DNS rebinding).
  const origins = ['http://evil.example', 'null', url.replace('http', 'https'), `${url}1`];
  const foreign = origins.map(Origin => ({ Origin }));
  for (const from of [...foreign, { Host: `localhost.example:${port}` }])
    expect(await statuses(from), JSON.stringify(from)).toEqual([403, 403, 403, null, null]);
  // A feed does not end.
  expect((await fetch(url + eventFeedPath, { headers: foreign[0]! })).status).toBe(403);
});

it('serves a stage without events', async () => {
  const assembly = await synthesizeShared({ stage: 'local', settings: { events: false } });
  const { url, stop } = await startServer({
    ...options,
    assembly,
    tableName: 'petstore-without-events',
  });
  onTestFinished(stop);
  expect(await clientOf(url, undefined)('GET', '/pets')).toMatchObject({ status: 200, body: [] });
});

it('a start sets the time to live that a table lacks after a kill', async () => {
  const [client, TableName] = [connect(stack.endpoint), 'petstore-killed'];
  await ensureTable(client, stack.assembly.template, TableName);
  const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: false };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  for (const _ of [1, 2]) await ensureTable(client, stack.assembly.template, TableName);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(TimeToLiveDescription).toEqual({
    AttributeName: 'expiresAt',
    TimeToLiveStatus: 'ENABLED',
  });
});

/** The request of the gateway at port 80, but of its body only the length. */
const echo: Listener = async (request, response) => {
  const body = await receiveBody(request);
  if (request.url === '/broken') throw new Error('broken');
  response.end(JSON.stringify({ ...toGatewayRequest(request, body, 80), body: body.length }));
};
const { port, stop: stopEcho } = await listen(echo, loopback, 0, () => undefined);
afterAll(stopEcho);
const echoUrl = `http://${loopback}:${port}`;

it('a client may reuse a connection after a pause of up to 75 seconds', async () => {
  expect((await send(echoUrl)).headers.get('Keep-Alive')).toBe('timeout=75');
});

it('a body is received up to one byte above the limit of the gateway', async () => {
  const { body } = await send(echoUrl, {
    method: 'POST',
    body: Buffer.alloc(maxPayload + 100_000),
  });
  expect(JSON.parse(body.toString()).body).toBe(maxPayload + 1);
});

it.each([
  ['http://pets.example.com/pets', 'other.test', 'pets.example.com', 'pets.example.com:80'],
  ['/pets', 'pets.example.com:8080', 'pets.example.com:8080', 'pets.example.com:8080'],
  ['/pets', 'a b', 'a b', '127.0.0.1:80'],
])(
  'the target %s with the Host header %j has the header %j and the host %s',
  async (path, HOST, header, host) => {
    const { body } = await send(echoUrl, { path, headers: { HOST } });
    const headers = expect.arrayContaining([['HOST', header]]);
    expect(JSON.parse(body.toString())).toMatchObject({ path: '/pets', host, headers });
  },
);

it('the connection breaks when the server fails, and the next request is served', async () => {
  await expect(send(`${echoUrl}/broken`)).rejects.toThrow('socket hang up');
  expect((await send(echoUrl)).status).toBe(200);
});

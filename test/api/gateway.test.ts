import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../cdk/config/settings.ts';
import { readApi } from '../../cdk/local/gateway/api.ts';
import { allOperations, servedPaths } from '../../lib/operations/index.ts';
import { expectCommonHeaders, expectError } from '../support/expect-error.ts';
import { stockedPet } from '../support/fixtures.ts';
import { sendRaw } from '../support/hostile.ts';
import { sharedAssembly, startPetstore, synthesizeShared, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const paths = [...new Set(allOperations.flatMap(servedPaths))].map(path => path.replace(/{\w+}/, '1'));
const methodsOf = (path: string) =>
  allOperations
    .filter(operation => servedPaths(operation).some(template => template.replace(/{\w+}/, '1') === path))
    .map(({ method }) => method as string);

/** As clients send them. */
const commonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded;charset=UTF-8',
  'multipart/form-data; boundary=----x',
  'text/plain;charset=UTF-8',
  'application/xml',
  'text/xml; charset=utf-8',
  'application/octet-stream',
];

describe('the gateway', () => {
  it.each(['', '/'])('redirects the root (with "%s" at its end) to the page', async slash => {
    const { status, headers } = await fetch(petstore.url + slash, { redirect: 'manual' });
    expect([status, headers.get('Location')]).toEqual([302, `${petstore.url}/docs`]);
    expect((await fetch(petstore.url + slash)).headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it('accepts a request target in absolute form, whose host replaces the Host header (RFC 9112, 3.2.2)', async () => {
    for (const name of ['Cats', 'Dogs']) await petstore.staff('POST', '/pets/categories', { body: { name } });
    const { hostname, port } = new URL(petstore.url);
    const send = async (target: string) => {
      const sent = request({ hostname, port, path: target, headers: { Host: 'wrong.example.com' } }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response;
    };
    const { statusCode, headers } = await send(`${petstore.url}/pets/categories?limit=1`);
    expect([statusCode, headers.link]).toEqual([200, expect.stringContaining(`<${petstore.url}/pets/categories?`)]);
    expect((await send(petstore.url)).headers.location).toBe(`${petstore.url}/docs`);
    expect((await send(`${petstore.url}/nothing`)).statusCode).toBe(404);
  });

  it.each(['/store', '/nothing', '/pets/1/toys', '/pets/categories/1/2', '/pets//1', '/store/orders/1/x', '/PETS'])(
    'returns 404 not_found at %s for every method and an invalid token',
    async path => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        expectError(await petstore.withToken('garbage')(method, path), 404, 'not_found');
      }
    },
  );

  it.each(paths)('returns 405 with Allow for the other methods of %s', async path => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      candidate => !methodsOf(path).includes(candidate),
    )) {
      const response = await petstore.anonymous(method, path);
      expectError(response, 405, 'method_not_allowed');
      expect(response.headers.get('Allow')).toBe([...methodsOf(path), 'OPTIONS'].join(', '));
      expect(response.headers.get('Cache-Control')).toBe('no-store');
    }
    const head = await petstore.anonymous('HEAD', path);
    expect([head.status, head.body]).toEqual([405, '']);
  });

  it('treats several leading slashes as one, as recorded from API Gateway', async () => {
    const pets = await petstore.staff('POST', '//pets/categories', { body: { name: 'Cats' } });
    expect([pets.status, new URL(pets.headers.get('Location')!).pathname]).toEqual([
      201,
      `/pets/categories/${pets.body.id}`,
    ]);
    expect((await petstore.anonymous('GET', '///pets?limit=1')).status).toBe(200);
    expectError(await petstore.anonymous('GET', '//nothing'), 404, 'not_found');
  });

  it('accepts a trailing slash', async () => {
    expect((await petstore.anonymous('GET', '/pets/')).status).toBe(200);
    expect((await petstore.anonymous('GET', '/pets/categories/')).status).toBe(200);
  });

  it.each(paths)('responds to the preflight of %s without a token', async path => {
    const response = await petstore.anonymous('OPTIONS', path);
    expect([response.status, response.body]).toEqual([204, '']);
    expectCommonHeaders(response);
    expect(response.headers.get('Access-Control-Max-Age')).toBe('7200');
    expect(response.headers.get('Access-Control-Allow-Methods')?.split(',')).toEqual(methodsOf(path));
    expect(response.headers.get('Access-Control-Allow-Headers')?.split(',')).toEqual(
      expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match']),
    );
  });

  it.each(commonTypes)('returns 404, 405 or a preflight response for a body of %s', async type => {
    const sent = { body: '<x', headers: { 'Content-Type': type } };
    expectError(await petstore.anonymous('POST', '/nothing', sent), 404, 'not_found');
    expectError(await petstore.anonymous('PATCH', '/pets', sent), 405, 'method_not_allowed');
    expect((await petstore.anonymous('OPTIONS', '/pets', sent)).status).toBe(204);
  });

  it('returns 415 for an unknown path with a body of image/png, for which the gateway has no mock response', async () => {
    const sent = { body: 'x', headers: { 'Content-Type': 'image/png' } };
    expectError(await petstore.anonymous('POST', '/nothing', sent), 415, 'unsupported_media_type');
  });

  it('returns 404 for PROPFIND, which ANY does not include', async () => {
    const response = await sendRaw(petstore.url, '', {
      method: 'PROPFIND',
      path: '/pets',
      headers: [],
      body: undefined,
    });
    expect([response.status, JSON.parse(response.body).code]).toEqual([404, 'not_found']);
  });

  it('returns 400 for a query with malformed percent-encoding', async () => {
    expectError(await petstore.anonymous('GET', '/pets?status=%E0%A4%A'), 400, 'invalid_request');
  });

  it('returns 400 for a brace or pipe in a query, and separates parameters at a semicolon', async () => {
    for (const query of ['status={', 'status=}', 'status=a|b'])
      expectError(await petstore.anonymous('GET', `/pets?${query}`), 400, 'invalid_request');
    expect((await petstore.anonymous('GET', '/pets?limit=1;status=sold')).status).toBe(200);
  });
});

describe('the local server', () => {
  it('listens only on the loopback interface', async () => {
    const port = Number(new URL(petstore.url).port);
    const reach = (host: string) =>
      new Promise<string>(resolve => {
        request({ host, port, timeout: 1_000 }, () => resolve('reached'))
          .on('error', error => resolve((error as NodeJS.ErrnoException).code ?? ''))
          .end();
      });
    expect(await reach('127.0.0.1')).toBe('reached');
    expect(await reach('127.0.0.2')).toBe('ECONNREFUSED');
  });

  it('ignores X-Request-Id and X-Forwarded-Proto of the client', async () => {
    const headers = { 'X-Request-Id': 'mine', 'X-Forwarded-Proto': 'https' };
    const response = await petstore.staff('POST', '/pets/categories', { headers, body: { name: 'Cats' } });
    expectCommonHeaders(response);
    expect(response.headers.get('Location')).toMatch(/^http:/);
  });

  it('changes the method to X-HTTP-Method-Override, as recorded, and adds x-amzn-RequestId', async () => {
    const headers = { 'X-HTTP-Method-Override': 'delete' };
    const response = await fetch(`${petstore.url}/docs`, { headers });
    expect([response.status, response.headers.get('x-amzn-RequestId')]).toEqual([405, expect.stringMatching(/./)]);
  });

  it('returns API Gateway’s own 413 for a body over 10 MB, and 431 for header values over 10 KB', async () => {
    const body = await fetch(`${petstore.url}/pets`, { method: 'POST', body: 'x'.repeat(11 * 1024 * 1024) });
    expect([body.status, await body.json()]).toEqual([413, { message: 'Request Too Long' }]);
    const header = (length: number) => fetch(`${petstore.url}/pets?limit=1`, { headers: { A: 'x'.repeat(length) } });
    expect([(await header(10_300)).status, (await header(9_000)).status]).toEqual([431, 200]);
  });

  it('returns 429 with Retry-After beyond the burst of one method, and 200 for other methods', async () => {
    const { limits } = settingsOf('local');
    const assembly = await synthesizeShared({
      stage: 'local',
      settings: {
        limits: { ...limits, listPets: { ...limits.listPets, rate: 0, burst: 3 } },
        defaultThrottle: { rate: 0, burst: 2 },
      },
    });
    const small = await startPetstore({ assembly });
    const pet = await stockedPet(small.staff, 20);
    const times = <T>(count: number, request: () => Promise<T>) => Promise.all(Array.from({ length: count }, request));
    const [flood, orders, strays] = await Promise.all([
      times(40, () => small.anonymous('GET', '/pets')),
      times(20, () => small.shop('POST', '/store/orders', { body: { petId: pet.id } })),
      times(6, () => small.anonymous('GET', '/nothing')),
    ]);
    const preflight = await small.anonymous('OPTIONS', '/pets');
    await small.stop();

    const counts = (responses: { status: number }[]) =>
      Object.fromEntries(
        [...Map.groupBy(responses, ({ status }) => status)].map(([status, of]) => [status, of.length]),
      );
    expect(counts(flood)).toEqual({ 200: 3, 429: 37 });
    expect(counts(orders)).toEqual({ 201: 20 });
    expect(counts(strays)).toEqual({ 404: 2, 429: 4 });
    expect(preflight.status).toBe(204);
    const refused = flood.find(({ status }) => status === 429)!;
    expectError(refused, 429, 'too_many_requests');
    expect(refused.headers.get('Retry-After')).toBe('1');
  });

  it('returns 502 bad_gateway when a function crashes', async () => {
    const broken = await startPetstore({ environment: { TABLE_NAME: '' } });
    const response = await broken.anonymous('GET', '/pets');
    await broken.stop();
    expectError(response, 502, 'bad_gateway');
    expect(String(broken.failures[0])).toContain('TABLE_NAME is not set');
  });

  it('rejects a template with an unsupported resource type', async () => {
    const { template, assets } = sharedAssembly();
    const Resources = { ...template.Resources, Stream: { Type: 'AWS::Kinesis::Stream', Properties: {} } };
    await expect(startPetstore({ assembly: { template: { Resources }, assets } })).rejects.toThrow(
      'The type AWS::Kinesis::Stream has no row in cdk/config/resource-types.ts',
    );
  });

  it.each<[{ AuthorizationType?: string; AuthorizationScopes?: []; Integration?: object }, RegExp]>([
    [{ AuthorizationType: 'CUSTOM' }, /does not support the authorization CUSTOM/],
    [{ AuthorizationType: 'COGNITO_USER_POOLS', AuthorizationScopes: [] }, /COGNITO_USER_POOLS without scopes/],
    [{ Integration: { Type: 'AWS' } }, /does not support this integration \(POST /],
    [{ Integration: { Uri: 'https://example.com' } }, /does not support this integration \(POST /],
  ])('rejects a template with an unsupported method: %j', (properties, message) => {
    const { template, assets } = sharedAssembly();
    const Resources = structuredClone(template.Resources);
    const { Properties: method } = Object.values(Resources).find(
      ({ Type, Properties }) =>
        Type === 'AWS::ApiGateway::Method' && Properties.HttpMethod === 'POST' && Properties.AuthorizationScopes,
    )!;
    Object.assign(method, properties, { Integration: { ...method.Integration, ...properties.Integration } });
    expect(() => readApi({ template: { ...template, Resources }, assets })).toThrow(message);
  });
});

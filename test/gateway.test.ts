import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { synthesise } from '../cdk/dev/synth.ts';
import { settingsOf } from '../cdk/settings.ts';
import { allOperations, servedPaths } from '../lib/operations/index.ts';
import { expectCommonHeaders, expectError } from './support/expect-error.ts';
import { sharedAssembly, sharedBundles, startPetstore, usePetstore } from './support/petstore.ts';
import { stockedPet } from './support/shop.ts';

const petstore = usePetstore();
const paths = [...new Set(allOperations.flatMap(servedPaths))].map(path => path.replace(/{\w+}/, '1'));
const methodsOf = (path: string) =>
  allOperations
    .filter(operation => servedPaths(operation).some(template => template.replace(/{\w+}/, '1') === path))
    .map(({ method }) => method as string);

describe('routes', () => {
  it.each(['', '/'])('lead a person from the root (with "%s" at its end) to the page', async slash => {
    const { status, headers } = await fetch(petstore.url + slash, { redirect: 'manual' });
    expect([status, headers.get('Location')]).toEqual([302, `${petstore.url}/docs`]);
    expect((await fetch(petstore.url + slash)).headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it.each(['/store', '/nothing', '/pets/1/toys', '/pets/categories/1/2', '//pets', '/store/orders/1/x', '/PETS'])(
    'answers 404 not_found at %s, whatever the method and whatever the token',
    async path => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        expectError(await petstore.withToken('garbage')(method, path), 404, 'not_found');
      }
    },
  );

  it.each(paths)('answers 405 with Allow to the other methods of %s', async path => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      candidate => !methodsOf(path).includes(candidate),
    )) {
      const answer = await petstore.anonymous(method, path);
      expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('Allow')).toBe([...methodsOf(path), 'OPTIONS'].join(', '));
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
    }
    const head = await petstore.anonymous('HEAD', path);
    expect([head.status, head.body]).toEqual([405, '']);
  });

  it('accepts a trailing slash', async () => {
    expect((await petstore.anonymous('GET', '/pets/')).status).toBe(200);
    expect((await petstore.anonymous('GET', '/pets/categories/')).status).toBe(200);
  });

  it.each(paths)('answers the preflight of %s without a token', async path => {
    const answer = await petstore.anonymous('OPTIONS', path);
    expect([answer.status, answer.body]).toEqual([204, '']);
    expectCommonHeaders(answer);
    expect(answer.headers.get('Access-Control-Allow-Methods')?.split(',')).toEqual(methodsOf(path));
    expect(answer.headers.get('Access-Control-Allow-Headers')?.split(',')).toEqual(
      expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match']),
    );
  });

  it('answers 415 where a mock would have to read another media type', async () => {
    const answer = await petstore.anonymous('POST', '/nothing', {
      body: 'x',
      headers: { 'Content-Type': 'text/plain' },
    });
    expectError(answer, 415, 'unsupported_media_type');
  });

  it('answers 400 to a query whose percent-encoding is malformed', async () => {
    expectError(await petstore.anonymous('GET', '/pets?status=%E0%A4%A'), 400, 'invalid_request');
  });
});

describe('the local server', () => {
  it('listens on the loopback interface alone', async () => {
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

  it('ignores the client’s own X-Request-Id and forwarding headers', async () => {
    const headers = { 'X-Request-Id': 'mine', 'X-Forwarded-Proto': 'https' };
    const answer = await petstore.staff('POST', '/pets/categories', { headers, body: { name: 'Cats' } });
    expectCommonHeaders(answer);
    expect(answer.headers.get('Location')).toMatch(/^http:/);
  });

  it('answers 413 to what API Gateway would not take', async () => {
    const answer = await petstore.staff('POST', '/pets', { body: 'x'.repeat(11 * 1024 * 1024) });
    expectError(answer, 413, 'payload_too_large');
  });

  it('answers 429 with Retry-After beyond the burst, and lets no method take what another may', async () => {
    const { limits } = settingsOf('local');
    const assembly = await synthesise({
      stage: 'local',
      settings: {
        limits: { ...limits, listPets: { ...limits.listPets, rate: 0, burst: 3 } },
        fixedAnswers: { rate: 0, burst: 2 },
      },
      bundles: sharedBundles(),
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

    const counts = (answers: { status: number }[]) =>
      Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]));
    expect(counts(flood)).toEqual({ 200: 3, 429: 37 });
    expect(counts(orders)).toEqual({ 201: 20 });
    expect(counts(strays)).toEqual({ 404: 2, 429: 4 });
    expect(preflight.status).toBe(204);
    const refused = flood.find(({ status }) => status === 429)!;
    expectError(refused, 429, 'too_many_requests');
    expect(refused.headers.get('Retry-After')).toBe('1');
  });

  it('answers 502 bad_gateway when a function crashes', async () => {
    const broken = await startPetstore({ environment: { TABLE_NAME: '' } });
    const answer = await broken.anonymous('GET', '/pets');
    await broken.stop();
    expectError(answer, 502, 'bad_gateway');
    expect(String(broken.failures[0])).toContain('TABLE_NAME is not set');
  });

  it('refuses a template with a construct that it does not know', async () => {
    const { template, assets } = sharedAssembly();
    const Resources = { ...template.Resources, Queue: { Type: 'AWS::SQS::Queue', Properties: {} } };
    await expect(startPetstore({ assembly: { template: { Resources }, assets } })).rejects.toThrow(
      'AWS::SQS::Queue (Queue)',
    );
  });
});

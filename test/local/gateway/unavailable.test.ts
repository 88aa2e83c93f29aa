import { afterAll, expect, inject, it } from 'vitest';
import { loadSigningKey } from '../../../cdk/local/auth/signing-key.ts';
import { startServer } from '../../../cdk/local/server.ts';
import { createPetstore, everyItem, orThrow } from '../../../cdk/openapi/petstore-client.ts';
import { tokenOf } from '../../support/http.ts';
import { clientOf, sharedAssembly } from '../../support/petstore.ts';

const server = await startServer({
  assembly: sharedAssembly(),
  endpoint: inject('endpoint'),
  tableName: 'petstore-unavailable',
  signingKey: await loadSigningKey(),
  unavailable: 0.5,
  log: () => undefined,
});
afterAll(server.stop);
const staff = clientOf(server.url, await tokenOf(server.url));

it('half of the requests fail with the 503 of their operation, documentation never; a retry with the key writes once', async () => {
  const outcomes = new Map<string, number>();
  const count = (name: string) => outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  for (let index = 0; index < 40; index++) {
    const request = { headers: { 'Idempotency-Key': `key ${index}` }, body: { name: `Category ${index}` } };
    let wasUnknown = false;
    for (;;) {
      const { status, headers, body } = await staff('POST', '/pets/categories', request);
      if (status === 201) {
        if (wasUnknown) count(headers.has('Idempotent-Replayed') ? 'unknown and written' : 'unknown and not written');
        break;
      }
      expect([status, headers.get('Retry-After'), headers.get('X-Request-Id')]).toEqual([503, '1', expect.any(String)]);
      count(body.code);
      wasUnknown ||= body.code === 'outcome_unknown';
    }
  }
  const kinds = ['outcome_unknown', 'try_again', 'unknown and not written', 'unknown and written'];
  expect([...outcomes.keys()].sort()).toEqual(kinds);

  const reads = await Promise.all(Array.from({ length: 40 }, () => staff('GET', '/pets?limit=1')));
  const codes = reads.map(({ status, body }) => (status === 200 ? 200 : body.code));
  expect([...new Set(codes)].sort()).toEqual([200, 'try_again']);
  for (let index = 0; index < 10; index++) expect((await staff('GET', '/openapi.json')).status).toBe(200);

  const petstore = createPetstore({ baseUrl: server.url, attempts: 20 });
  const names = new Set<string>();
  const pages = everyItem(cursor =>
    petstore.GET('/pets/categories', { params: { query: { limit: 100, ...(cursor && { cursor }) } } }),
  );
  for await (const { name } of pages) names.add(name);
  expect(names.size).toBe(40);
  expect((await orThrow(petstore.GET('/pets/categories', { params: { query: { limit: 100 } } }))).length).toBe(40);
});

it('an error of a request that would have had an unknown outcome is returned', async () => {
  const statuses = new Set<number>();
  for (let index = 0; index < 40; index++) statuses.add((await staff('DELETE', '/pets/categories/1')).status);
  expect([...statuses].sort()).toEqual([404, 503]);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectHarmless, type HostileRequest, hostileRequest, sendRaw } from '../support/hostile.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

const get = (path: string): HostileRequest => ({ method: 'GET', path, headers: [], body: undefined });

/** Long parts that grow when they are encoded. A response must not repeat them. */
const long: HostileRequest[] = [
  '<'.repeat(6_000),
  '%F0%9F%98%BA'.repeat(600),
  '%FF%'.repeat(2_000),
  '9'.repeat(8_000),
].flatMap(text => [get(`/pets/${text}`), get(`/pets?cursor=${text}`), get(`/pets?${text}=1`), get(`/${text}`)]);

/** Each has only permitted characters, but makes a URL invalid. The page and `Location` contain a URL with the host. */
const hosts: HostileRequest[] = ['.0', '[:]', 'a:99999'].map(host => ({ ...get('/docs'), headers: [['Host', host]] }));

const examples = [...long, ...hosts];

it('hostile input never results in a 5xx, and every error response has exactly code, message and status', async () => {
  const token = await petstore.token('staff');
  await fc.assert(
    fc.asyncProperty(hostileRequest, async request => {
      expectHarmless(await sendRaw(petstore.url, token, request), petstore);
    }),
    // `npm run test:long` sends many more requests.
    { numRuns: examples.length + 500, examples: examples.map(request => [request]) },
  );
  expect(petstore.logs.join('')).not.toContain('"level":"ERROR"');
});

import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { expectHarmless, type HostileRequest, hostileRequest } from '../support/hostile.ts';
import { usePetstore } from '../support/petstore.ts';
import { watchThreads } from '../support/threads.ts';

const petstore = usePetstore();

const get = (path: string): HostileRequest => ({
  method: 'GET',
  path,
  headers: [],
  body: undefined,
});

/** Long parts that grow when they are encoded. A response must not repeat them. */
const long: HostileRequest[] = [
  '<'.repeat(6_000),
  '%F0%9F%98%BA'.repeat(600),
  '%FF%'.repeat(2_000),
  '9'.repeat(8_000),
].flatMap(text => [
  get(`/pets/${text}`),
  get(`/pets?cursor=${text}`),
  get(`/pets?${text}=1`),
  get(`/${text}`),
]);

/** Each has only permitted characters, but makes a URL invalid. The page and `Location` contain a URL with the host. */
const hosts: HostileRequest[] = ['.0', '[:]', 'a:99999'].map(host => ({
  ...get('/docs'),
  headers: [['Host', host]],
}));

/** The document accepts what the API does. */
const tags: HostileRequest[] = ['', ' , ', ',"a",, "b" ,', '*'].map(value => ({
  ...get('/pets'),
  headers: [['If-None-Match', value]],
}));

const examples = [...long, ...hosts, ...tags];

/** `npm run test:long` sends many more requests, and measures the heaps after each tenth of them. */
const runs = Number(process.env.FUZZ_RUNS ?? 500);
const rounds = runs > 500 ? 10 : 1;
const threads = watchThreads();
afterAll(threads.stop);

/** Of this thread and of the functions, in use after a garbage collection. */
const megabytes = async () => {
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed + (await threads.liveBytes())) / 2 ** 20;
};

it('hostile input never results in a 5xx, and every error response has exactly code, message and status', async () => {
  const token = await petstore.token('staff');
  const property = fc.asyncProperty(hostileRequest, request =>
    expectHarmless(petstore, token, request),
  );
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round === 0 ? examples.map(request => [request] as [HostileRequest]) : [];
    await fc.assert(property, { numRuns: first.length + runs / rounds, examples: first });
    expect(petstore.logs.join('')).not.toContain('"level":"ERROR"');
    if (rounds === 1) continue;
    petstore.logs.length = 0;
    petstore.proxy.responses.length = 0;
    heaps.push(await megabytes());
    console.log(
      `${(runs / rounds) * (round + 1)} requests, ${Math.round(heaps.at(-1)!)} MB in use`,
    );
  }
  // Once all modules are loaded, the memory in use must not grow with the number of requests.
  if (rounds > 1) expect(heaps.at(-1)! - heaps[1]!, `MB: ${heaps}`).toBeLessThan(50);
});

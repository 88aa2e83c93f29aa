import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect, inject, it } from 'vitest';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { limitedAlike } from '../../cdk/config/limits.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { expectHarmless, type HostileRequest, hostileRequest, sendRaw } from '../support/hostile.ts';
import { sharedBundles, usePetstore } from '../support/petstore.ts';
import { Known, plausibleRequest } from './plausible.ts';
import { watchThreads } from './threads.ts';

/** A machine that does other things meanwhile holds a thread up for seconds; a time-out that ends it then says nothing of the code. */
const limits = limitedAlike({ rate: 10_000, burst: 5_000, timeout: 20 });
/** Nobody listens to events here, and the embedded engine writes the more slowly, the more its stream holds. */
const settings = { limits, events: false };
const petstore = usePetstore({
  assembly: await synthesize({ stage: 'local', settings, bundles: sharedBundles() }),
});
const runs = Number(process.env.FUZZ_RUNS ?? 40_000);
/** When no further batch is begun. */
const until = Date.now() + Number(process.env.FUZZ_MINUTES ?? 600) * 60_000;
const batch = Math.min(1_000, runs);
const parallel = 8;
/** After how many requests memory is looked at: a snapshot of each thread takes a while. */
const measured = batch * Math.max(10, Math.round(runs / batch / 20));

const inMegabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
const threads = watchThreads();
afterAll(threads.stop);

/** In MB, after a collection: what lives on the heap of the main thread, and on those of the functions. */
const memory = async () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { whole: inMegabytes(rss), main: inMegabytes(heapUsed), functions: inMegabytes(await threads.living()) };
};

/** Two in three know what is there, the others nothing. */
const anyRequest = fc.oneof(
  { weight: 2, arbitrary: plausibleRequest },
  { weight: 1, arbitrary: hostileRequest.map(request => () => request) },
);

it('answers any input without a 5xx, a hang, a leak or growth', async () => {
  const tokens = await Promise.all(
    Array.from({ length: parallel }, (_, caller) => petstore.token(caller === 0 ? 'shop' : 'staff')),
  );
  const known = new Known();
  const statuses = new Map<number, number>();
  let writes = 0;
  let done = 0;
  let busy = 0;
  const ask = async (token: string, request: (known: Known) => HostileRequest) => {
    const asked = request(known);
    let answer = await sendRaw(petstore.url, token, asked);
    // What a starved machine may rightly say, and is counted; the same request gets another answer then.
    for (let waits = 0; answer.status === 503 && waits < 5; waits++) {
      busy += 1;
      await sleep(1_000);
      answer = await sendRaw(petstore.url, token, asked);
    }
    expectHarmless(answer, petstore);
    known.learn(answer);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status < 300 && answer.request.method !== 'GET' && answer.request.method !== 'OPTIONS') writes += 1;
    done += 1;
  };
  const heaps: Awaited<ReturnType<typeof memory>>[] = [];
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  console.log(`FUZZ_SEED=${seed} makes these requests again`);
  for (let round = 0; done < runs && Date.now() < until; round++) {
    const requests = fc.sample(anyRequest, { numRuns: batch, seed: seed + round }).values();
    await Promise.all(
      Array.from({ length: parallel }, async (_, caller) => {
        for (const request of requests) await ask(tokens[caller]!, request);
      }),
    );
    const defects = petstore.logs
      .join('')
      .split('\n')
      .filter(line => line.includes('"level":"ERROR"') && !line.includes('"status":503'));
    expect(defects).toEqual([]);
    petstore.logs.length = 0;
    petstore.proxy.answers.length = 0;
    if (done % measured === 0 || done >= runs || Date.now() >= until) {
      const heap = await memory();
      heaps.push(heap);
      console.log(
        `${done} requests, ${writes} of them wrote, ${busy} times 503; ${heap.whole} MB, of which live ${heap.main} in the main thread, ${heap.functions} in the functions`,
      );
    }
  }
  expect(busy, 'times 503').toBeLessThan(Math.max(done / 100, 10));
  console.log('Answers by status:', Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
  // What is kept must not grow with the number of requests, once everything has been loaded.
  const [early, last] = [heaps[1], heaps.at(-1)!];
  for (const place of ['main', 'functions'] as const)
    expect(last[place] - (early ?? last)[place], `MB in ${place}: ${heaps.map(heap => heap[place])}`).toBeLessThan(50);

  const client = connect(inject('endpoint'));
  const verdict = await audit(tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY), 1);
  client.destroy();
  expect({ faults: verdict.faults, restless: verdict.restless }).toEqual({ faults: [], restless: [] });
  console.log(`${verdict.items} items audited, 0 faults`);
});

import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect, inject, it } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { uniformLimits } from '../../cdk/config/limits.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { anyCommand, type Command, Ids, remember, requestOf } from '../reference/commands.ts';
import {
  expectHarmless,
  type HostileRequest,
  hostileHeader,
  hostileRequest,
  knownFields,
  legalHeaderValue,
  sendRaw,
} from '../support/hostile.ts';
import { sharedBundles, usePetstore } from '../support/petstore.ts';
import { watchThreads } from './threads.ts';

/** Under load, a thread can pause for seconds, which is not a defect. */
const limits = uniformLimits({ rate: 10_000, burst: 5_000, timeout: 20 });
/** Nothing would read a stream, and a longer one makes the embedded engine slower. */
const settings = { limits, events: false };
const petstore = usePetstore({
  assembly: await synthesize({ stage: 'local', settings, bundles: sharedBundles() }),
});
const runs = Number(process.env.FUZZ_RUNS ?? 40_000);
/** When the last batch may start. */
const until = Date.now() + Number(process.env.FUZZ_MINUTES ?? 600) * 60_000;
const batch = Math.min(1_000, runs);
const parallel = 8;
/** Requests between measurements of memory, which take slow heap snapshots. */
const measured = batch * Math.max(10, Math.round(runs / batch / 20));

const inMegabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
const threads = watchThreads();
afterAll(threads.stop);

/** After a garbage collection, in MB. */
const memory = async () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { whole: inMegabytes(rss), main: inMegabytes(heapUsed), functions: inMegabytes(await threads.liveBytes()) };
};

const ids = new Ids();
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** A request to send later. `request` returns it with ids that were created by then. */
interface Planned {
  readonly command?: Command;
  readonly request: () => HostileRequest;
}

const plausible: fc.Arbitrary<Planned> = fc
  .record({ command: anyCommand, fields: seldom(knownFields), header: seldom(hostileHeader) })
  .map(({ command, fields, header }) => ({
    command,
    request: () => {
      const { method, path, body } = requestOf(command, ids);
      const headers = header ? [[header[0], legalHeaderValue(header[1])] as const] : [];
      return { method, path, headers, body: body && JSON.stringify({ ...body, ...fields }) };
    },
  }));

const anyRequest = fc.oneof(
  { weight: 3, arbitrary: plausible },
  { weight: 1, arbitrary: hostileRequest.map((request): Planned => ({ request: () => request })) },
);

it('responds to any input without a 5xx, a hang, leaked internals or growing memory', async () => {
  const callers = Array.from({ length: parallel }, (_, caller) => (caller === 0 ? 'shop' : 'staff'));
  const tokens = await Promise.all(callers.map(caller => petstore.token(caller)));
  const statuses = new Map<number, number>();
  let writes = 0;
  let done = 0;
  let busy = 0;
  const sendAndCheck = async (token: string, { command, request }: Planned) => {
    const sent = request();
    let response = await sendRaw(petstore.url, token, sent);
    // Under load, a 503 is correct. The test counts it, and sends the request again.
    for (let waits = 0; response.status === 503 && waits < 5; waits++) {
      busy += 1;
      await sleep(1_000);
      response = await sendRaw(petstore.url, token, sent);
    }
    expectHarmless(response, petstore);
    if (command && response.status === 201) remember(command, ids, { ...response, body: JSON.parse(response.body) });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    if (response.status < 300 && response.request.method !== 'GET' && response.request.method !== 'OPTIONS')
      writes += 1;
    done += 1;
  };
  const heaps: Awaited<ReturnType<typeof memory>>[] = [];
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  console.log(`Replay these requests with FUZZ_SEED=${seed}`);
  for (let round = 0; done < runs && Date.now() < until; round++) {
    const requests = fc.sample(anyRequest, { numRuns: batch, seed: seed + round }).values();
    const sendAll = async (token: string) => {
      for (const request of requests) await sendAndCheck(token, request);
    };
    await Promise.all(tokens.map(sendAll));
    const errors = petstore.logs.join('').match(/.*"level":"ERROR".*/g) ?? [];
    expect(errors.filter(line => !line.includes('"status":503'))).toEqual([]);
    petstore.logs.length = 0;
    petstore.proxy.responses.length = 0;
    if (done % measured === 0 || done >= runs || Date.now() >= until) {
      const heap = await memory();
      heaps.push(heap);
      const parts = `${heap.main} live in the main thread, ${heap.functions} in the functions`;
      console.log(
        `${done} requests, ${writes} of them writes, ${busy} responses 503; ${heap.whole} MB, of which ${parts}`,
      );
    }
  }
  expect(busy, 'responses with 503').toBeLessThan(Math.max(done / 100, 10));
  console.log('Responses by status:', Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
  // Once all modules are loaded, the memory in use must not grow with the number of requests.
  const [early, last] = [heaps[1], heaps.at(-1)!];
  for (const place of ['main', 'functions'] as const)
    expect(last[place] - (early ?? last)[place], `MB in ${place}: ${heaps.map(heap => heap[place])}`).toBeLessThan(50);

  const client = connect(inject('endpoint'));
  const audited = await audit(tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY), 1);
  client.destroy();
  expect([audited.mismatches, audited.uncertain]).toEqual([[], []]);
  console.log(`${audited.items} items audited, 0 violations`);
});

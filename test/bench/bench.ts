import { synthesise } from '../../cdk/assembly/synthesise.ts';
import { startEngine } from '../../cdk/dev/engine.ts';
import { startServer } from '../../cdk/dev/server.ts';
import { loadTokenKey } from '../../cdk/dev/tokens/key.ts';
import { benchColdStart } from './cold-start.ts';
import { benchOrderRate } from './order-rate.ts';
import { benchPageCost } from './page-cost.ts';

/** A served petstore to measure. */
export interface Bench {
  readonly url: string;
  readonly endpoint: string;
  readonly tableName: string;
  /** What the functions logged, in pieces. */
  readonly log: string[];
  // biome-ignore lint/suspicious/noExplicitAny: a benchmark trusts what it is answered
  readonly staff: (method: string, path: string, body: object) => Promise<any>;
}

/** What the next request consumes, by its log line. */
export const consumedBy = async ({ log }: Bench, request: () => Promise<unknown>) => {
  const mark = log.length;
  await request();
  for (let tries = 0; log.length === mark && tries < 100; tries++) await new Promise(resolve => setTimeout(resolve, 5));
  const { roundTrips, readUnits, writeUnits } = JSON.parse(log.slice(mark).join('').split('\n')[0]!).message;
  return { roundTrips, readUnits, writeUnits };
};

const serve = async () => {
  const log: string[] = [];
  const [engine, assembly] = await Promise.all([startEngine(), synthesise({ stage: 'local' })]);
  const tableName = 'petstore-bench';
  const server = await startServer({
    assembly,
    endpoint: engine.endpoint,
    tableName,
    tokenKey: await loadTokenKey(),
    log: text => log.push(text),
  });
  const credentials = { Authorization: `Basic ${btoa('staff:local')}` };
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  const answer = await fetch(`${server.url}/oauth2/token`, { method: 'POST', headers: credentials, body: form });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const staff: Bench['staff'] = async (method, path, body) => {
    const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const stop = async () => {
    await server.stop();
    await engine.stop();
  };
  return { url: server.url, endpoint: engine.endpoint, tableName, log, staff, stop };
};

const benchmarks: Record<string, (bench: Bench) => Promise<void>> = {
  'cold-start': benchColdStart,
  'page-cost': benchPageCost,
  'order-rate': benchOrderRate,
};

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find(name => !(name in benchmarks));
  if (unknown) {
    console.error(`There is no benchmark ${unknown}: npm run bench -- ${Object.keys(benchmarks).join(' | ')}`);
    process.exit(1);
  }
  for (const [name, benchmark] of Object.entries(benchmarks)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const bench = await serve();
    await benchmark(bench);
    await bench.stop();
  }
  process.exit(0);
}

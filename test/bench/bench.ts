import { analyzeMetafile } from 'esbuild';
import { commandOf } from '../../cdk/command.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { startServer } from '../../cdk/local/server.ts';
import { bundle } from '../../cdk/synthesis/bundle/bundle.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { send, tokenOf } from '../support/http.ts';
import { benchColdStart } from './cold-start.ts';
import { benchOrderRate } from './order-rate.ts';
import { benchPageCost } from './page-cost.ts';

/** A served petstore for benchmarks. */
export interface Bench {
  readonly url: string;
  readonly endpoint: string;
  readonly tableName: string;
  /** The log output of the functions, in chunks. */
  readonly log: string[];
  // biome-ignore lint/suspicious/noExplicitAny: a benchmark trusts the response
  readonly staff: (method: string, path: string, body: object) => Promise<any>;
}

export interface BenchOptions {
  /** Whether to measure every function, not only the lightest and the heaviest. */
  readonly all: boolean;
  readonly rounds: number;
  /** Megabytes of a function. */
  readonly memory: number;
  /** Milliseconds after which INVOKE gets its share of the CPU again. */
  readonly period: number;
  /** Milliseconds that a handshake and a response take longer. */
  readonly delays: readonly [handshake: number, response: number];
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return Number((middle.reduce((sum, value) => sum + value) / middle.length).toPrecision(3));
};

const serve = async () => {
  const log: string[] = [];
  // Without the stream, which slows down no write on AWS.
  const settings = { events: false };
  const [engine, assembly] = await Promise.all([startEngine(), synthesize({ stage: 'local', settings })]);
  const tableName = 'petstore-bench';
  const server = await startServer({
    assembly,
    endpoint: engine.endpoint,
    tableName,
    signingKey: await loadSigningKey(),
    log: text => log.push(text),
  });
  const token = await tokenOf(server.url);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const staff: Bench['staff'] = async (method, path, body) => {
    const response = await send(server.url + path, { method, headers, body: JSON.stringify(body) });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.body}`);
    return JSON.parse(response.body.toString());
  };
  const stop = async () => {
    await server.stop();
    await engine.stop();
  };
  return { url: server.url, endpoint: engine.endpoint, tableName, log, staff, stop };
};

const benchmarks: Record<string, (bench: Bench, options: BenchOptions) => Promise<void>> = {
  'cold-start': benchColdStart,
  'page-cost': benchPageCost,
  'order-rate': benchOrderRate,
};

const usage = `npm run bench [-- BENCHMARK …] [--all] [--rounds N] [--inputs]
  BENCHMARK     ${Object.keys(benchmarks).join(', ')} (default: all of them)
  --inputs      print the largest inputs of the bundles, and run no benchmark
  --help        print this
Of cold-start:
  --all         every function, not only the lightest and the heaviest
  --rounds N    starts of each function (default 21)
  --memory MB   of the function, which limits the CPU of INVOKE (default ${settingsOf('prod').functionMemory})
  --period MS   after which INVOKE gets its share of the CPU again (default 20)
  --delays H/R  milliseconds that a handshake and a response take longer, such as 2/5 (default 0/0)`;

if (import.meta.main) {
  const { count, misused, readOptions, run } = commandOf(usage);
  const { values, positionals: selected } = readOptions(
    {
      all: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '21' },
      memory: { type: 'string', default: String(settingsOf('prod').functionMemory) },
      period: { type: 'string', default: '20' },
      delays: { type: 'string', default: '0/0' },
      inputs: { type: 'boolean', default: false },
    },
    { allowPositionals: true },
  );
  const unknown = selected.find(name => !Object.hasOwn(benchmarks, name));
  if (unknown) misused(`There is no benchmark ${unknown}.`);
  const [, handshake, response] =
    /^(\d+)\/(\d+)$/.exec(values.delays) ?? misused(`--delays ${values.delays} is not two numbers such as 2/5.`);
  const options: BenchOptions = {
    all: values.all,
    rounds: count('rounds', values.rounds),
    memory: count('memory', values.memory),
    period: count('period', values.period),
    delays: [Number(handshake), Number(response)],
  };
  await run(async () => {
    if (values.inputs) {
      console.log(await analyzeMetafile((await bundle(['getPet', 'placeOrder'])).metafile));
      return;
    }
    for (const [name, benchmark] of Object.entries(benchmarks)) {
      if (selected.length > 0 && !selected.includes(name)) continue;
      const bench = await serve();
      await benchmark(bench, options);
      await bench.stop();
    }
  });
  process.exit();
}

import { commandOf } from '../../cdk/command.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { startServer } from '../../cdk/local/server.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { tokenOf } from '../support/http.ts';
import { clientOf } from '../support/petstore.ts';
import { benchColdStart } from './cold-start.ts';
import { benchOrderRate } from './order-rate.ts';
import { benchPageCost } from './page-cost.ts';

/** As in the usage. */
export interface BenchOptions {
  readonly all: boolean;
  readonly rounds: number;
  readonly memory: number;
  readonly delays: readonly [handshake: number, response: number];
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return Number((middle.reduce((sum, value) => sum + value) / middle.length).toPrecision(3));
};

/** A served petstore for benchmarks. */
const serve = async () => {
  /** The log output of the functions, in chunks. */
  const log: string[] = [];
  // Without the stream, which slows down no write on AWS.
  const settings = { events: false };
  const [engine, assembly] = await Promise.all([startEngine(), synthesize({ stage: 'local', settings })]);
  const tableName = 'petstore-bench';
  const { endpoint } = engine;
  const signingKey = await loadSigningKey();
  const server = await startServer({ assembly, endpoint, tableName, signingKey, log: text => log.push(text) });
  const client = clientOf(server.url, await tokenOf(server.url));
  const staff = async (method: string, path: string, body: object) => {
    const response = await client(method, path, { body });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response.body;
  };
  const stop = async () => {
    await server.stop();
    await engine.stop();
  };
  return { url: server.url, endpoint, tableName, log, staff, stop };
};
export type Bench = Awaited<ReturnType<typeof serve>>;

const benchmarks: Record<string, (bench: Bench, options: BenchOptions) => Promise<void>> = {
  'cold-start': benchColdStart,
  'page-cost': benchPageCost,
  'order-rate': benchOrderRate,
};

const usage = `npm run bench [-- BENCHMARK …] [--all] [--rounds N]
  BENCHMARK     ${Object.keys(benchmarks).join(', ')} (default: all of them)
  --help        print this
Of cold-start:
  --all         every function, not only the lightest and the heaviest
  --rounds N    starts of each function (default 21)
  --memory MB   of the function, which limits the CPU of INVOKE (default ${settingsOf('prod').functionMemory})
  --delays H/R  milliseconds that a handshake and a response take longer, such as 2/5 (default 0/0)`;

if (import.meta.main) {
  const { count, misused, readOptions, run } = commandOf(usage);
  const { values, positionals: selected } = readOptions(
    {
      all: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '21' },
      memory: { type: 'string', default: String(settingsOf('prod').functionMemory) },
      delays: { type: 'string', default: '0/0' },
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
    delays: [Number(handshake), Number(response)],
  };
  await run(async () => {
    for (const [name, benchmark] of Object.entries(benchmarks)) {
      if (selected.length > 0 && !selected.includes(name)) continue;
      const bench = await serve();
      await benchmark(bench, options);
      await bench.stop();
    }
  });
  process.exit();
}

import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../cdk/build/bundle/bundle.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';
import type { Bench, BenchOptions } from './bench.ts';
import type { Sample } from './cold-start-child.ts';
import { buildWithDefaults, environmentOf, inFreshProcess } from './fresh-process.ts';
import { eventOf, putItems } from './requests.ts';
import { median, table } from './statistics.ts';

const warmCalls = 200;

interface Candidate {
  readonly name: string;
  readonly file: string;
  readonly event: object;
  /** The bundle that its ratios refer to: only the SDK, with the same kind of call. */
  readonly baseline: string;
}

const bareGet = 'bare GetItem';
const bareTransaction = 'bare TransactWriteItems';

/** The SDK alone with default bundling, and the deployed bundles of functions. */
const prepare = async (names: readonly OperationId[]): Promise<Candidate[]> => {
  const { folderOf } = await bundle(names);
  const bare = async (name: string, file: string) => ({
    name,
    baseline: name,
    file: await buildWithDefaults(file),
    event: {},
  });
  const whole = (name: OperationId) => ({
    name,
    baseline: operations[name].method === 'GET' ? bareGet : bareTransaction,
    file: join(folderOf(name), 'index.mjs'),
    event: eventOf(name),
  });
  const [read, write] = [await bare(bareGet, 'bare-get'), await bare(bareTransaction, 'bare-transaction')];
  const functions = names.map(whole);
  return [read, write].flatMap(it => [it, ...functions.filter(({ baseline }) => baseline === it.name)]);
};

/** Without and with Lambda's flag: `--expose-gc` slows down the bare bundles more than ours. */
const kinds = { plain: [], flagged: ['--expose-gc'] } as const;
type Kind = keyof typeof kinds;

const coldOf = ({ load, first }: Sample) => load.wall + first.wall;
const cpuOf = ({ load, first }: Sample) => load.cpu + first.cpu;

/**
 * Measures size, module load, first invocation and warm latency of bundles, in new processes over https, next to bare bundles
 * of the SDK in the same run.
 */
export const benchColdStart = async (bench: Bench, { all, rounds }: BenchOptions) => {
  const client = connect(bench.endpoint);
  const candidates = await prepare(all ? operationIds : ['getPet', 'placeOrder']);
  const proxy = await startTlsProxy(bench.endpoint);
  const env = environmentOf(bench, proxy);

  const samples: Record<Kind, Sample[][]> = { plain: candidates.map(() => []), flagged: candidates.map(() => []) };
  const loads: number[] = [];
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\rcold starts: round ${round + 1} of ${rounds}`);
    loads.push(loadavg()[0]!);
    for (const kind of ['plain', 'flagged'] as const) {
      for (const [index, candidate] of candidates.entries()) {
        await putItems(client, bench.tableName);
        const calls = kind === 'plain' && !all ? warmCalls : 0;
        const run = { ...candidate, env, warmCalls: calls, flags: kinds[kind] };
        samples[kind][index]!.push(await inFreshProcess(run));
      }
    }
  }
  process.stderr.write('\n');
  proxy.stop();
  client.destroy();

  const figures = (kind: Kind, figure: (sample: Sample) => number | readonly number[]) => {
    const medians = samples[kind].map(of => median(of.flatMap(figure)));
    const baselineOf = ({ baseline }: Candidate) => medians[candidates.findIndex(({ name }) => name === baseline)]!;
    return candidates.map((candidate, index) => [medians[index]!, medians[index]! / baselineOf(candidate)]);
  };
  const show = (header: string[], ...columns: (string | number)[][][]) => {
    const rows = candidates.map(({ name }, index) => [name, ...columns.flatMap(column => column[index]!)]);
    console.log(table(['bundle', ...header], rows));
  };
  const ratios = (...names: string[]) => names.flatMap(name => [`${name} ms`, 'ratio']);

  console.log(
    `\nCold start over https, medians of ${rounds} new processes in turn; load average ${median(loads).toFixed(1)}`,
  );
  for (const kind of ['plain', 'flagged'] as const) {
    console.log(kind === 'plain' ? '\nIn parts, with CPU time' : '\nWith --expose-gc, which Lambda sets');
    const cold = kind === 'flagged' ? [figures(kind, coldOf)] : [];
    const warmCpu = kind === 'plain' && !all ? [figures(kind, sample => sample.warmCpu)] : [];
    show(
      [
        ...ratios('load CPU', 'first response', 'its CPU', 'total CPU'),
        ...ratios(...cold.map(() => 'cold'), ...warmCpu.map(() => 'warm CPU')),
      ],
      figures(kind, ({ load }) => load.cpu),
      figures(kind, ({ first }) => first.wall),
      figures(kind, ({ first }) => first.cpu),
      figures(kind, cpuOf),
      ...cold,
      ...warmCpu,
    );
  }
  console.log('\nWithout the flag; ratios to the bare bundle above');
  const sizes = candidates.map(({ file }) => [Math.round(statSync(file).size / 1000)]);
  const warm = all ? [] : [figures('plain', sample => sample.warm)];
  show(
    ['KB', ...ratios('load', 'cold', ...(all ? [] : ['warm']))],
    sizes,
    figures('plain', ({ load }) => load.wall),
    figures('plain', coldOf),
    ...warm,
  );
};

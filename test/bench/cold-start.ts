import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../cdk/local/engine/table.ts';
import { bundle } from '../../cdk/synthesis/bundle/bundle.ts';
import { type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';
import type { Bench, BenchOptions } from './bench.ts';
import type { Sample } from './cold-start-child.ts';
import { buildWithDefaults, inFreshProcess } from './fresh-process.ts';
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
  const bare = async (name: string, script: string) => {
    const file = await buildWithDefaults(script);
    return { name, baseline: name, file, event: {} };
  };
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

/**
 * Measures size, module load, first invocation and warm latency of bundles, in new processes over https, next to bare bundles
 * of the SDK in the same run.
 */
export const benchColdStart = async (bench: Bench, { all, rounds }: BenchOptions) => {
  const client = connect(bench.endpoint);
  const candidates = await prepare(all ? operationIds : ['getPet', 'placeOrder']);
  const proxy = await startTlsProxy(bench.endpoint);
  const env = {
    PATH: process.env.PATH,
    TABLE_NAME: bench.tableName,
    DYNAMODB_ENDPOINT: proxy.url,
    NODE_EXTRA_CA_CERTS: proxy.certificate,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    DEPRECATED_ON: '2026-11-01',
    SUNSET_ON: '2027-12-31',
    ENFORCE_SUNSET: 'false',
  };

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

  const columns: Record<string, (sample: Sample) => number | readonly number[]> = {
    load: ({ load }) => load.wall,
    'first response': ({ first }) => first.wall,
    cold: ({ load, first }) => load.wall + first.wall,
    'cold CPU': ({ load, first }) => load.cpu + first.cpu,
    ...(!all && { warm: ({ warm }) => warm }),
  };
  console.log(`\nMedians of ${rounds} new processes over https, in turn; load average ${median(loads).toFixed(1)}`);
  console.log('A ratio is to the bare bundle above.');
  for (const kind of ['plain', 'flagged'] as const) {
    if (kind === 'flagged') delete columns.warm;
    const medians = Object.values(columns).map(figure => samples[kind].map(of => median(of.flatMap(figure))));
    const rows = candidates.map(({ name, file, baseline }, index) => {
      const base = candidates.findIndex(candidate => candidate.name === baseline);
      const figures = medians.flatMap(column => [column[index]!, column[index]! / column[base]!]);
      return [name, Math.round(statSync(file).size / 1000), ...figures];
    });
    console.log(kind === 'plain' ? '\nWithout --expose-gc' : '\nWith --expose-gc, which Lambda sets');
    console.log(table(['bundle', 'KB', ...Object.keys(columns).flatMap(name => [`${name} ms`, 'ratio'])], rows));
  }
};

import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type BuildOptions, build } from 'esbuild';
import { bundle } from '../../cdk/bundle/bundle.ts';
import { warmUpKeyOf } from '../../cdk/config/permissions.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { storedOrder } from '../../lib/model/order-item.ts';
import { petKey } from '../../lib/model/table/keys.ts';
import { type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { eventOf } from '../support/event-of.ts';
import { setQuantity } from '../support/fixtures.ts';
import { type World, world } from '../support/requests.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';
import type { Sample, Start } from './cold-start-child.ts';
import { createCpuShare } from './cpu-share.ts';
import { type Bench, type BenchOptions, median } from './serve.ts';

const warmCalls = 100;

interface Candidate {
  readonly name: string;
  readonly bundle: string;
  readonly eventOf: (world: World) => object;
  /** The bare bundle with the same kind of call, to which this candidate's ratios refer. Absent: the candidate itself. */
  readonly baseline?: Candidate;
  readonly env?: NodeJS.ProcessEnv;
}

type Measured = Sample & { readonly connections: number };
type Figure = (sample: Measured) => number | readonly number[];

/** As JavaScript, because Node's TypeScript loader would run during a measurement. */
const buildScript = async (name: string, options: BuildOptions = {}): Promise<string> => {
  const outfile = join(tempFolder('bench'), 'index.mjs');
  const entryPoints = [join(import.meta.dirname, `${name}.ts`)];
  await build({ entryPoints, outfile, format: 'esm', platform: 'node', ...options });
  return outfile;
};

/** With esbuild's usual options and the SDK as published. */
const usual = async (
  name: string,
  script: string,
  event: Candidate['eventOf'],
): Promise<Candidate> => {
  const banner = {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  };
  const file = await buildScript(script, {
    banner,
    mainFields: ['module', 'main'],
    bundle: true,
    minify: true,
  });
  return { name, bundle: file, eventOf: event };
};

/** The baseline of writes, of the same size as the transaction of placeOrder. */
const bareTransaction = (TableName: string, { petId }: World) => {
  const order = {
    id: 1,
    petId,
    quantity: 1,
    complete: false,
    ownerId: 'bench',
    clientId: 'bench',
    version: 1,
  };
  const put = {
    TableName,
    Item: marshall(storedOrder(order)),
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const update = {
    TableName,
    Key: marshall(petKey(petId)),
    UpdateExpression: 'ADD availableQuantity :less, reservedQuantity :one',
    ConditionExpression: 'availableQuantity > :one AND #status = :open',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: marshall({ ':less': -1, ':one': 1, ':open': 'available' }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  return { TransactItems: [{ Put: put }, { Update: update }] };
};

/** The bare bundles, the deployed bundles with and without the call in INIT (`warmUp`), and getPet with other frameworks. */
const prepare = async (names: readonly OperationId[], tableName: string): Promise<Candidate[]> => {
  const { folderOf } = await bundle(names);
  const read = await usual('bare GetItem', 'bare-get', ({ petId }) => ({
    Key: marshall(petKey(petId)),
  }));
  const write = await usual('bare TransactWriteItems', 'bare-transaction', ids =>
    bareTransaction(tableName, ids),
  );
  const getPet = (ids: World) => eventOf('getPet', ids);
  const peers = await Promise.all([
    usual('peer: Middy, Powertools, Zod', 'peers/middy-powertools', getPet),
    usual('peer: Hono, Zod', 'peers/hono', getPet),
  ]);
  const functions = names.flatMap((name): Candidate[] => {
    const baseline = operations[name].method === 'GET' ? read : write;
    const file = join(folderOf(name), 'index.mjs');
    const without = { name, baseline, bundle: file, eventOf: (ids: World) => eventOf(name, ids) };
    const key = warmUpKeyOf(name);
    const warm = { ...without, env: { WARM_UP: key } };
    return key ? [warm, { ...without, name: `${name} without warmUp` }] : [without];
  });
  const compared = [...functions, ...peers.map(peer => ({ ...peer, baseline: read }))];
  return [read, write].flatMap(it => [it, ...compared.filter(({ baseline }) => baseline === it)]);
};

/**
 * Each bundle, also the bare ones with only the SDK, runs in a new process that calls DynamoDB over https. INIT (the import) has
 * a whole CPU. INVOKE (the first request) has the CPU share for `memory`, by a cgroup or computed.
 */
export const benchColdStart = async (
  bench: Bench,
  { all, rounds, memory, period, delays }: BenchOptions,
) => {
  const { endpoint, tableName, staff } = bench;
  const candidates = await prepare(all ? operationIds : ['getPet', 'placeOrder'], tableName);
  const child = await buildScript('cold-start-child');
  const proxy = await startTlsProxy(endpoint);
  const [handshake, response] = delays;
  Object.assign(proxy, { handshakeDelay: () => handshake, responseDelay: () => response });
  const { share, groups, remove } = createCpuShare(memory, period);
  const table = {
    TABLE_NAME: tableName,
    DYNAMODB_ENDPOINT: proxy.url,
    NODE_EXTRA_CA_CERTS: proxy.certificate,
  };
  const credentials = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const deprecation = {
    DEPRECATED_ON: '2026-11-01',
    SUNSET_ON: '2027-12-31',
    ENFORCE_SUNSET: 'false',
  };
  const env = { PATH: process.env.PATH, ...table, ...credentials, ...deprecation };

  const samples = new Map(candidates.map(candidate => [candidate, [] as Measured[]]));
  const loads: number[] = [];
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\rcold starts: round ${round + 1} of ${rounds}`);
    loads.push(loadavg()[0]!);
    for (const [candidate, measured] of samples) {
      const ids = await world({ anonymous: staff, staff, shop: staff });
      await setQuantity(staff, ids.petId, 1_000_000);
      const before = proxy.counts.connections;
      const [file, event] = [pathToFileURL(candidate.bundle).href, candidate.eventOf(ids)];
      const start: Start = { bundle: file, event, warmCalls: all ? 0 : warmCalls, groups };
      const options = { env: { ...env, ...candidate.env } };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [child, JSON.stringify(start)],
        options,
      );
      // Powertools also writes its log to stdout.
      const sample = JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1));
      measured.push({ ...sample, connections: proxy.counts.connections - before });
    }
  }
  process.stderr.write('\n');
  proxy.stop();
  remove();

  /** Without a cgroup, computes how much longer INVOKE's CPU time would take with the share. */
  const invoke = ({ invoke: { wall, cpu } }: Sample) => (groups ? wall : wall - cpu + cpu / share);
  const columns: Record<string, Figure> = {
    INIT: ({ init }) => init.wall,
    INVOKE: invoke,
    sum: sample => sample.init.wall + invoke(sample),
    'CPU of INIT': ({ init }) => init.cpu,
    'CPU of INVOKE': sample => sample.invoke.cpu,
    ...(!all && { warm: ({ warm }) => warm }),
  };
  const computed = 'computed from its CPU time: no cgroup is writable';
  const how = groups ? `by a cgroup with a period of ${period} ms` : computed;
  console.log(
    `\nMedians of ${rounds} new processes over https, in turn; load average ${median(loads)}`,
  );
  console.log(`INVOKE has ${share.toFixed(2)} of a CPU (${memory} MB), ${how}.`);
  console.log(
    `A handshake takes ${handshake} ms more, a response ${response}. A ratio is to the bare bundle above.`,
  );
  const medianOf = (candidate: Candidate, figure: Figure) =>
    median(samples.get(candidate)!.flatMap(figure));
  const rows = candidates.map(candidate => {
    const figures = Object.entries(columns).flatMap(([column, figure]) => {
      const value = medianOf(candidate, figure);
      const ratio = value / medianOf(candidate.baseline ?? candidate, figure);
      return [[`${column} ms`, value] as const, [column, Number(ratio.toFixed(2))] as const];
    });
    const connections = medianOf(candidate, sample => sample.connections);
    const KB = Math.round(statSync(candidate.bundle).size / 1000);
    return { bundle: candidate.name, KB, ...Object.fromEntries(figures), connections };
  });
  console.table(rows);
};

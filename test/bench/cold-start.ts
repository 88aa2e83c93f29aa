import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { build } from 'esbuild';
import { scratchFolder } from '../../cdk/assembly/scratch-folder.ts';
import { bundle } from '../../cdk/bundle/bundle.ts';
import { connect } from '../../cdk/dev/table.ts';
import { petIndexKeys, petKey } from '../../lib/model/table/keys.ts';
import type { Bench } from './bench.ts';
import { median, table } from './statistics.ts';
import { startTlsProxy } from './tls-proxy.ts';

const rounds = 21;
const warmCalls = 200;

const claims = { sub: 'bench', token_use: 'access', scope: 'petstore/orders' };

const eventFor = (resource: string, path: string, parameters: object | null, body: object | null) => ({
  ...{ resource, path, headers: {}, multiValueHeaders: {}, pathParameters: parameters },
  ...{ queryStringParameters: null, multiValueQueryStringParameters: null, body: body && JSON.stringify(body) },
  requestContext: { requestId: 'bench', path: `/prod${path}`, domainName: 'example.com', authorizer: { claims } },
});

interface Candidate {
  readonly name: string;
  readonly file: string;
  readonly event: object;
}

/** The pet that is read and ordered, with units for every order of the run. */
const item = {
  ...{ ...petKey(1), ...petIndexKeys({ id: 1, categoryId: 1, status: 'available' }) },
  ...{ id: 1, name: 'Tom', categoryId: 1, status: 'available', free: 1_000_000, reserved: 0, hold: false, version: 1 },
};

/** The measure, and the lightest and the heaviest of the functions that use the table. */
const prepare = async (): Promise<Candidate[]> => {
  const outdir = scratchFolder('bare-sdk');
  const bare = join(outdir, 'index.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'bare-sdk.ts')],
    outfile: bare,
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    mainFields: ['module', 'main'],
    ...{ bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node24' },
  });
  const { folderOf } = await bundle(['getPet', 'placeOrder']);
  const read = eventFor('/pets/{petId}', '/pets/1', { petId: '1' }, null);
  const order = eventFor('/store/orders', '/store/orders', null, { petId: 1 });
  return [
    { name: 'bare SDK GetItem, built plainly', file: bare, event: read },
    { name: 'getPet, whole', file: join(folderOf('getPet'), 'index.mjs'), event: read },
    { name: 'placeOrder, whole (a transaction)', file: join(folderOf('placeOrder'), 'index.mjs'), event: order },
  ];
};

interface Sample {
  readonly load: number;
  readonly cold: number;
  readonly warm: number[];
}

/** Size, module load, cold start to the first answer, and warm latency, beside a plain SDK GetItem bundle in the same run. */
export const benchColdStart = async ({ endpoint, tableName }: Bench) => {
  const client = connect(endpoint);
  await client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
  const candidates = await prepare();

  const proxy = await startTlsProxy(endpoint);
  const env = {
    ...process.env,
    ...{ TABLE_NAME: tableName, DYNAMODB_ENDPOINT: proxy.url, NODE_EXTRA_CA_CERTS: proxy.certificate },
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ DEPRECATED_ON: '2026-11-01', SUNSET_ON: '2027-12-31', ENFORCE_SUNSET: 'false' },
  };
  const measure = async ({ file, event }: Candidate): Promise<Sample> => {
    const args = [
      '--expose-gc',
      join(import.meta.dirname, 'cold-start-child.ts'),
      pathToFileURL(file).href,
      JSON.stringify(event),
      String(warmCalls),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout);
  };

  const samples = new Map(candidates.map(candidate => [candidate, [] as Sample[]]));
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\rcold starts: round ${round + 1} of ${rounds}`);
    for (const candidate of candidates) samples.get(candidate)!.push(await measure(candidate));
  }
  process.stderr.write('\n');
  proxy.stop();

  const figures = [...samples].map(([{ name, file }, of]) => ({
    name,
    size: statSync(file).size / 1000,
    load: median(of.map(({ load }) => load)),
    cold: median(of.map(({ cold }) => cold)),
    warm: median(of.flatMap(({ warm }) => warm)),
  }));
  const [reference] = figures;
  const rows = figures.map(({ name, size, load, cold, warm }) => [
    ...[name, size, load, load / reference!.load, cold, cold / reference!.cold, warm, warm / reference!.warm],
  ]);
  console.log(`\nCold start over https, medians of ${rounds} fresh processes (budget: ratio ≤ 0.75)\n`);
  console.log(table(['bundle', 'KB', 'load ms', 'ratio', 'cold ms', 'ratio', 'warm ms', 'ratio'], rows));
};

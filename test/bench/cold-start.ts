import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { build } from 'esbuild';
import { bundle } from '../../cdk/bundle.ts';
import { connect } from '../../cdk/dev/table.ts';
import { scratchFolder } from '../../cdk/scratch-folder.ts';
import type { Bench } from './bench.ts';
import { median, table } from './statistics.ts';
import { startTlsProxy } from './tls-proxy.ts';

const rounds = 21;
const warmCalls = 200;

const event = {
  ...{ resource: '/pets/{petId}', path: '/pets/1', httpMethod: 'GET', headers: {}, multiValueHeaders: {} },
  ...{ pathParameters: { petId: '1' }, queryStringParameters: null, multiValueQueryStringParameters: null, body: null },
  requestContext: { requestId: 'bench', path: '/prod/pets/1', domainName: 'example.com' },
};

interface Sample {
  readonly load: number;
  readonly cold: number;
  readonly warm: number[];
}

/** Size, module load, cold start to the first answer, and warm latency, beside a plain SDK GetItem bundle in the same run. */
export const benchColdStart = async ({ endpoint, tableName }: Bench) => {
  const client = connect(endpoint);
  const pet = { pk: 'PET#1', sk: 'PET', name: 'Tom', status: 'available' };
  const item = {
    ...Object.fromEntries(Object.entries(pet).map(([name, value]) => [name, { S: value }])),
    id: { N: '1' },
    categoryId: { N: '1' },
  };
  await client.send(new PutItemCommand({ TableName: tableName, Item: item }));

  const outdir = scratchFolder('bare-sdk');
  await build({
    entryPoints: [join(import.meta.dirname, 'bare-sdk.ts')],
    outfile: join(outdir, 'index.mjs'),
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    mainFields: ['module', 'main'],
    ...{ bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node24' },
  });
  const bundles = await bundle(['getPet']);
  const candidates = {
    'bare SDK GetItem, built plainly': join(outdir, 'index.mjs'),
    'getPet, whole': join(bundles.folderOf('getPet'), 'index.mjs'),
  };

  const proxy = await startTlsProxy(endpoint);
  const env = {
    ...process.env,
    ...{ TABLE_NAME: tableName, DYNAMODB_ENDPOINT: proxy.url, NODE_EXTRA_CA_CERTS: proxy.certificate },
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ DEPRECATED_ON: '2026-11-01', SUNSET_ON: '2027-12-31', ENFORCE_SUNSET: 'false' },
  };
  const measure = async (file: string): Promise<Sample> => {
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

  const samples = new Map(Object.keys(candidates).map(name => [name, [] as Sample[]]));
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\rcold starts: round ${round + 1} of ${rounds}`);
    for (const [name, file] of Object.entries(candidates)) samples.get(name)!.push(await measure(file));
  }
  process.stderr.write('\n');
  proxy.stop();

  const figures = Object.entries(candidates).map(([name, file]) => {
    const of = samples.get(name)!;
    return {
      name,
      size: statSync(file).size / 1000,
      load: median(of.map(({ load }) => load)),
      cold: median(of.map(({ cold }) => cold)),
      warm: median(of.flatMap(({ warm }) => warm)),
    };
  });
  const [reference] = figures;
  const rows = figures.map(({ name, size, load, cold, warm }) => [
    ...[name, size, load, load / reference!.load, cold, cold / reference!.cold, warm, warm / reference!.warm],
  ]);
  console.log(`\nCold start over https, medians of ${rounds} fresh processes (budget: ratio ≤ 0.75)\n`);
  console.log(table(['bundle', 'KB', 'load ms', 'ratio', 'cold ms', 'ratio', 'warm ms', 'ratio'], rows));
};

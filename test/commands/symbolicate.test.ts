import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { bundle } from '../../cdk/build/bundle/bundle.ts';
import { functionNames } from '../../cdk/build/bundle/function-names.ts';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { resourcesOf } from '../../cdk/build/template.ts';
import { runInProcess } from '../support/in-process.ts';
import { startPetstore } from '../support/petstore.ts';
import { newFolder, run } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');
// Bundles of their own, because `npm test` removes the source maps of the shared ones.
const outdir = await mkdtemp(join(tmpdir(), 'petstore-functions-'));
const assembly = await synthesize({ stage: 'local', bundles: await bundle(functionNames, outdir) });
const { template, assets } = assembly;
const functions = resourcesOf(template, 'AWS::Lambda::Function').map(([, { Code, Environment }]) => ({
  folder: assets.get(Code.S3Key)!,
  hash: Code.S3Key.replace('.zip', ''),
  build: Environment.Variables.BUILD,
}));

/** The position of a text in a source file, as a stack trace has it. */
const placeOf = (file: string, words: string): string => {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const line = lines.findIndex(candidate => candidate.includes(words));
  expect(line, words).toBeGreaterThan(0);
  return `${file}:${line + 1}:`;
};

/** The failing request reads a table that does not exist. This is the innermost line of this project in its stack trace. */
const expectedPosition = placeOf('lib/model/table/calls.ts', 'const output = await attempt(options);');

describe('a stack trace on this machine', () => {
  it('has locations in the source files', async () => {
    const petstore = await startPetstore({ assembly, environment: { TABLE_NAME: 'none' } });
    expect((await petstore.anonymous('GET', '/pets/1')).status).toBe(500);
    await expect.poll(() => petstore.logs.join('')).toContain(join(root, expectedPosition));
    await petstore.stop();
  });
});

describe('npm run symbolicate', () => {
  const module = pathToFileURL(join(outdir, 'getPet/index.mjs')).href;
  const maps = join(functions[0]!.folder, '..');
  /** The log line of a failure: the deployed bundle in a process without source maps. */
  let line: string;

  beforeAll(async () => {
    const code = `
      console.error = message => process.stdout.write(JSON.stringify({ level: 'ERROR', message }));
      const { handler } = await import(${JSON.stringify(module)});
      const requestContext = { requestId: 'r', path: '/pets/1', domainName: 'example.com', identity: {} };
      const empty = { headers: {}, multiValueHeaders: {}, multiValueQueryStringParameters: null, body: null };
      const event = { ...empty, resource: '/pets/{petId}', pathParameters: { petId: '1' }, requestContext };
      await handler(event, { getRemainingTimeInMillis: () => 5000 });`;
    const bundleOfGetPet = readFileSync(join(outdir, 'getPet/index.mjs'));
    const { build } = functions.find(({ folder }) => bundleOfGetPet.equals(readFileSync(join(folder, 'index.mjs'))))!;
    const env = {
      DEPRECATED_ON: '2026-11-01',
      SUNSET_ON: '2027-12-31',
      BUILD: build,
      DYNAMODB_ENDPOINT: inject('endpoint'),
      TABLE_NAME: 'none',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env });
    line = stdout;
  });

  it('symbolicates a log line of CloudWatch with the build in the line', async () => {
    expect(line, 'minified').toMatch(/index\.mjs:\d+:\d{4,}/);
    const file = join(await newFolder(), 'line.json');
    await writeFile(file, line);
    const { exit, output } = run('cdk/commands/symbolicate.ts', [file, '--maps', maps]);
    expect(await exit, output()).toBe(0);
    expect(output()).toContain(expectedPosition);
    expect(output()).not.toContain('index.mjs');
  });

  it('symbolicates a stack trace from stdin with --build', async () => {
    const { build, error } = JSON.parse(line).message;
    const child = spawn(process.execPath, [
      join(root, 'cdk/commands/symbolicate.ts'),
      '--build',
      build,
      '--maps',
      maps,
    ]);
    child.stdin.end(`Error: none\n${error[0].stack.join('\n')}\n`);
    const printed = await text(child.stdout);
    expect(printed).toMatch(/^Error: none\n {4}at /);
    expect(printed).toContain(expectedPosition);
  });

  it('symbolicates each line with the build that it names', async () => {
    const [, row, column] = /index\.mjs:(\d+):(\d+)/.exec(line)!;
    const [first, second] = [...new Set(functions.map(({ build }) => build))];
    const lineOf = (build: string) => `{"build": "${build}"} at file:///var/task/index.mjs:${row}:${column}`;
    const symbolicated = async (...lines: string[]) => {
      const file = join(await newFolder(), 'lines');
      await writeFile(file, lines.join('\n'));
      return (await runInProcess('cdk/commands/symbolicate.ts', [file, '--maps', maps])).out;
    };
    const each = [await symbolicated(lineOf(first!)), await symbolicated(lineOf(second!))];
    expect(each[0]!.split(' at ')[1]).not.toBe(each[1]!.split(' at ')[1]);
    expect(await symbolicated(lineOf(first!), lineOf(second!))).toBe(each.join(''));
  });

  it('reports a missing file, stack trace, build and source map', async () => {
    const folder = await newFolder();
    const { code, output } = await runInProcess('cdk/commands/symbolicate.ts', [join(folder, 'none')]);
    expect(code).toBe(1);
    expect(output).toMatch(/^There is no file .*none\.\nnpm run symbolicate/);
    const outputFor = async (input: string, ...args: string[]) => {
      const file = join(folder, 'input');
      await writeFile(file, input);
      const ended = await runInProcess('cdk/commands/symbolicate.ts', [file, ...args]);
      return `${ended.code} ${ended.output}`;
    };
    const trace = '    at f (file:///var/task/index.mjs:1:20)';
    expect(await outputFor('nothing')).toMatch(/^1 The input has no stack trace of a bundle/);
    expect(await outputFor(trace)).toMatch(/^1 The input names no build. Add --build HASH/);
    expect(await outputFor(trace, '--build', 'a'.repeat(64), '--maps', folder)).toMatch(
      /^1 There is no source map .*npx cdk synth/,
    );
  });
});

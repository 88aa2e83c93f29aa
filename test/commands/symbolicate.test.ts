import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { evaluate, resourcesOf } from '../../cdk/synthesis/template.ts';
import { startPetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { read, root } from '../support/project.ts';
import { runCommand } from '../support/run-command.ts';

// `npm test` removes the source maps of the shared bundles.
const assembly = await synthesize({ stage: 'local' });
const functions = resourcesOf(assembly.template, 'AWS::Lambda::Function').map(
  ([id, { Code, Environment }]) => {
    const variables = evaluate(Environment.Variables) as { BUILD: string };
    return { id, variables, hash: variables.BUILD, folder: assembly.assets.get(Code.S3Key)! };
  },
);
const { folder, variables } = functions.find(({ id }) => id.startsWith('getPetFunction'))!;
const assemblyFolder = dirname(folder);

/** The request fails because its table does not exist. `source` is the project's first file in the stack trace. */
const source = 'lib/model/table/calls.ts';
const lines = read(source).split('\n');
const expectedPosition = `${source}:${lines.findIndex(text => text.includes('const output = await call;')) + 1}:`;

/** Of a failed request to a deployed bundle, in a process without source maps. */
let line: string;
beforeAll(async () => {
  const code = `
    console.error = message => process.stdout.write(JSON.stringify({ level: 'ERROR', message }));
    const { handler } = await import(${JSON.stringify(pathToFileURL(join(folder, 'index.mjs')).href)});
    const requestContext = { requestId: 'r', path: '/pets/1', domainName: 'example.com', identity: {} };
    const empty = { headers: {}, multiValueHeaders: {}, multiValueQueryStringParameters: null, body: null };
    const event = { ...empty, resource: '/pets/{petId}', pathParameters: { petId: '1' }, requestContext };
    await handler(event, { getRemainingTimeInMillis: () => 5000 });`;
  const table = { DYNAMODB_ENDPOINT: inject('endpoint'), TABLE_NAME: 'none' };
  const credentials = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const env = { ...variables, ...table, ...credentials };
  line = (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env }))
    .stdout;
});

const maps = ['--maps', assemblyFolder];
const symbolicate = async (input: string, ...args: string[]) => {
  const file = join(tempFolder('data'), 'input');
  await writeFile(file, input);
  return runCommand('cdk/commands/symbolicate.ts', [file, ...args]);
};

it('a stack trace on this machine has locations in the source files', async () => {
  const petstore = await startPetstore({ assembly, environment: { TABLE_NAME: 'none' } });
  expect((await petstore.anonymous('GET', '/pets/1')).status).toBe(500);
  await expect.poll(() => petstore.logs.join('')).toContain(join(root, expectedPosition));
  await petstore.stop();
});

it('replaces the positions in a log line of CloudWatch', async () => {
  expect(line, 'minified').toMatch(/index\.mjs:\d+:\d{4,}/);
  // The map is beside the asset, so that it does not ship.
  for (const { folder, hash } of functions)
    expect([`${folder}/index.mjs.map`, `${folder}.map`, folder].map(existsSync), hash).toEqual([
      false,
      true,
      true,
    ]);
  const { code, out } = await symbolicate(line, ...maps);
  expect([code, out]).toEqual([0, expect.stringContaining(expectedPosition)]);
  expect(out).not.toContain('index.mjs');
});

it('reads a stack trace from stdin with --build', async () => {
  const { build, error } = JSON.parse(line).message;
  const { child, exit, output } = run('cdk/commands/symbolicate.ts', ['--build', build, ...maps]);
  child.stdin!.end(`Error: none\n${error[0].stack.join('\n')}\n`);
  const printed = new RegExp(`^Error: none\n {4}at [^]*${expectedPosition}`);
  expect([await exit, output()]).toEqual([0, expect.stringMatching(printed)]);
});

it('reads each line with the build that it names, and the others with the first one', async () => {
  const [, row, column] = /index\.mjs:(\d+):(\d+)/.exec(line)!;
  const named = functions.map(
    ({ hash }) => `{"build": "${hash}"} at file:///var/task/index.mjs:${row}:${column}`,
  );
  const [first, second] = new Set(named);
  const each = [
    (await symbolicate(first!, ...maps)).out,
    (await symbolicate(second!, ...maps)).out,
  ];
  expect(each[0]!.split(' at ')[1]).not.toBe(each[1]!.split(' at ')[1]);
  const [unnamed, located] = [first!, each[0]!].map(text => text.split(' at ')[1]);
  expect((await symbolicate(`${first}\n${second}\n${unnamed}`, ...maps)).out).toBe(
    `${each.join('')}${located}`,
  );
});

const trace = '    at f (file:///var/task/index.mjs:1:20)';
it.each([
  ['nothing', [], 'The input has no stack trace of a bundle'],
  [trace, [], 'The input names no build. Add --build HASH'],
  [
    trace,
    ['--build', 'a'.repeat(64), '--maps', tmpdir()],
    /: There is no source map .*npx cdk synth/,
  ],
])('reports what %j with %j lacks', async (input, args, message) => {
  expect(await symbolicate(input, ...args)).toMatchObject({
    code: 1,
    output: expect.stringMatching(message),
  });
});

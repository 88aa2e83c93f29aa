import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, inject, it, vi } from 'vitest';
import { caller, commandOf } from '../../cdk/command.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { connect, ensureTable } from '../../cdk/local/engine/table.ts';
import { launch } from '../../cdk/local/launch.ts';
import { serverDefinition, toStartOptions } from '../../cdk/local/options.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { serve } from '../support/http.ts';
import { sharedAssembly } from '../support/petstore.ts';

// test/e2e/start-errors.test.ts starts a process for each kind of cause.

const website = await serve((_request, _body, response) => response.writeHead(404).end('<html>'));
afterAll(website.stop);
afterEach(() => void vi.unstubAllEnvs().restoreAllMocks());

type Prepare = (folder: string) => unknown;
const write = (file: string, text: string) => (folder: string) =>
  writeFileSync(join(folder, file), text);
const at = (endpoint: string) => () => vi.stubEnv('DYNAMODB_ENDPOINT', endpoint);
const withoutJava: Prepare = folder => {
  vi.stubEnv('PATH', '/nowhere');
  write(engineKinds['dynamodb-local'].database, '')(folder);
};
const endpoint = inject('endpoint');
const otherTable = async () => {
  vi.stubEnv('DYNAMODB_ENDPOINT', endpoint);
  const client = connect(endpoint);
  const template = JSON.parse(JSON.stringify(inject('template')).replaceAll('"pk"', '"other"'));
  await ensureTable(client, template, localTableName);
  client.destroy();
};

it.each<[args: string, output: string, prepare?: Prepare]>([
  ['--port=', '--port  is not a port number.'],
  ['--memory --data FOLDER', '--memory stores no data, and --data names a folder for it.'],
  ['--memory --host 203.0.113.1', 'This machine has no address 203.0.113.1.'],
  ['--webhook http://a.example.com/', 'com/ is not an https URL, or an http URL of this machine'],
  ['--public-url http://a.example.com', 'example.com is not an https URL'],
  ['--unavailable 20', '--unavailable 20 is not a share'],
  [
    '--data FOLDER/file',
    'store its data in FOLDER/file: EEXIST: .*Choose a folder that you can write to',
    write('file', ''),
  ],
  [
    '--data FOLDER',
    'The token signing key in FOLDER/token-key.json cannot be read .*Delete that file: ',
    write('token-key.json', '{"kty":"RSA"}'),
  ],
  ['--data FOLDER', 'in FOLDER was written by DynamoDB Local, .*install Java 17', withoutJava],
  [
    '--memory',
    'Nothing responds at DYNAMODB_ENDPOINT=http://127.0.0.1:9.',
    at('http://127.0.0.1:9'),
  ],
  // Advice about data would be wrong: this is a wrong setting.
  [
    '--memory',
    'could not start: .* does not respond as DynamoDB does: This is no',
    at(website.url),
  ],
  [
    '--memory',
    `another table definition.\nTo start without data, delete the table petstore-local at ${endpoint}`,
    otherTable,
  ],
])('npm start %s exits with 1, and prints %s', async (args, output, prepare) => {
  const folder = tempFolder('data');
  const filled = (text: string) => text.replaceAll('FOLDER', folder);
  await prepare?.(folder);
  const print = vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(process, 'exit').mockImplementation(code => {
    throw new Error(`exits with ${code}`);
  });
  const command = commandOf(serverDefinition('npm start'), values =>
    launch(toStartOptions(values), async () => sharedAssembly()),
  );
  const { environment } = caller();
  const called = { environment, now: Date.now, print, note: print };
  expect(await command(['--port', '0', ...filled(args).split(' ')], called)).toBe(1);
  expect(print.mock.calls.join('\n')).toMatch(new RegExp(filled(output), 's'));
});

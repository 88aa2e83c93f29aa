import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { createPet, newOrder, setQuantity, succeed } from '../support/fixtures.ts';
import { tokenOf } from '../support/http.ts';
import { clientOf } from '../support/petstore.ts';
import { ready, run } from '../support/processes.ts';
import { read } from '../support/project.ts';
import { allNames, copyProject } from '../support/project-copy.ts';
import { outputsAt } from '../support/queue.ts';
import { startRestoreEmulator } from '../support/restore-emulator.ts';

/** Makes what a reader of CONTRIBUTING makes: new files, and lines after or in place of those of a `diff`. */
const makeExamples = (folder: string) => {
  const examples = read('.github/CONTRIBUTING.md').matchAll(/<!-- example.*?<!-- \/example/gs);
  const blocks = [...examples].flatMap(([text]) => [...text.matchAll(/```(\w+)\n(.*?)```/gs)]);
  for (const [, kind, block] of blocks) {
    const [, file, source] = /^\/\/ (\S+)\n(.*)/s.exec(block!) ?? [];
    if (kind === 'ts') {
      mkdirSync(dirname(join(folder, file!)), { recursive: true });
      writeFileSync(join(folder, file!), source!);
      continue;
    }
    for (const part of block!.split(/^@@ /m).slice(1)) {
      const [name, ...lines] = part.trimEnd().split('\n');
      let text = readFileSync(join(folder, name!), 'utf8');
      let at = 0;
      for (const line of lines) {
        const content = `${line.slice(1)}\n`;
        if (!line.startsWith('+')) {
          at = text.indexOf(`\n${content}`, 0) + 1;
          expect(at, `${name} has the line ${content}`).toBeGreaterThan(0);
        }
        if (line.startsWith('-')) text = text.slice(0, at) + text.slice(at + content.length);
        else if (line.startsWith('+')) text = text.slice(0, at) + content + text.slice(at);
        if (!line.startsWith('-')) at += content.length;
      }
      writeFileSync(join(folder, name!), text);
    }
  }
};

/** Into a new table. */
const restore = async (url: string, TargetTableName: string) => {
  const { DynamoDbEndpoint, TableName: SourceTableName } = await outputsAt(url);
  const emulator = await startRestoreEmulator(DynamoDbEndpoint!);
  const client = connect(emulator.url);
  await client.send(new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName }));
  client.destroy();
  emulator.stop();
};

it('the examples of CONTRIBUTING pass their tests, and find nothing wrong in the data of the former version', async () => {
  const [folder, data] = [copyProject(allNames()), tempFolder('data')];
  const serve = async (cwd?: string) => {
    const server = run(
      'cdk/commands/start.ts',
      ['--port', '0', '--data', data],
      cwd ? { cwd } : {},
    );
    const url = await ready(server);
    return { server, url, staff: clientOf(url, await tokenOf(url, 'staff')) };
  };
  const former = await serve();
  const pet = await createPet(former.staff);
  await setQuantity(former.staff, pet.id, 5);
  const order = await newOrder(former.staff, pet.id);
  former.server.child.kill();
  await former.server.exit;

  makeExamples(folder);
  const succeeds = async (script: string, ...args: string[]) => {
    const { exit, output } = run(script, args, { cwd: folder });
    expect(await exit, output()).toBe(0);
    return output();
  };
  const vitest = (names: string, ...update: string[]) =>
    succeeds(
      'node_modules/vitest/vitest.mjs',
      'run',
      ...update,
      '--testTimeout=200000',
      ...names.split(' ').map(name => `test/${name}`),
    );
  await succeeds('node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.');
  // Not last: `-u` would take the first file as its value.
  await vitest('openapi/generated stack/golden api/access-patterns', '-u');
  await succeeds('node_modules/typescript-7/bin/tsc');
  await vitest('api/fields events/model openapi/lint openapi/bounds lib/model');

  const { server, url, staff } = await serve(folder);
  await restore(url, 'former');
  const path = `/pets/${pet.id}`;
  const { headers } = await succeed(staff, 'GET', path);
  const photos = { photos: ['front', 'side'] };
  const sent = { body: photos, headers: { 'If-Match': headers.get('ETag')! } };
  expect((await succeed(staff, 'PUT', `${path}/photos`, sent)).body).toEqual({ ...pet, ...photos });
  expect((await staff('PUT', `${path}/photos`, sent)).status).toBe(412);
  await succeed(staff, 'PATCH', path, { body: { breed: 'Manx' } });
  await succeed(staff, 'PATCH', `/store/orders/${order.id}`, { body: { complete: true } });
  const sheet = join(data, 'pets.xlsx');
  await succeeds('cdk/commands/export.ts', sheet, '--local', url);
  await succeeds('cdk/commands/import/index.ts', sheet, '--local', url);
  expect((await succeed(staff, 'GET', path)).body).toMatchObject({ ...photos, breed: 'Manx' });
  for (const table of [[], ['--table', 'former']]) {
    const audited = await succeeds('cdk/commands/audit/index.ts', '--local', url, ...table);
    expect(audited).toContain('0 mismatches in 3 items');
  }
  await succeeds('cdk/commands/events/republish.ts', '--local', url, '--yes');
  expect(server.output()).not.toMatch(/violat|deadLettered/);
});

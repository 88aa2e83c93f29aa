import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { DescribeTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { listenTo } from '../events/listener.ts';
import { stockedPet } from '../support/fixtures.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';

const petstore = usePetstore();
const tasks = await readFile(join(import.meta.dirname, '../../cdk/TASKS.md'), 'utf8');

const contentsOf = async (endpoint: string, TableName: string) => {
  const client = connect(endpoint);
  const { Items } = await client.send(new ScanCommand({ TableName }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  client.destroy();
  return { items: new Set(Items), Table };
};

const isDynoxide = inject('engine') === 'Dynoxide';
it.runIf(isDynoxide)('a table export, loaded as cdk/TASKS.md says, is served unchanged', async () => {
  const pet = await stockedPet(petstore.staff, 5);
  const { items, Table } = await contentsOf(inject('endpoint'), petstore.tableName);
  const folder = await newFolder();
  const data = join(folder, 'export/petstore-local/data');
  for (const made of [data, join(folder, 'debug')]) await mkdir(made, { recursive: true });
  await writeFile(
    join(data, 'one.json.gz'),
    gzipSync([...items].map(Item => `${JSON.stringify({ Item })}\n`).join('')),
  );
  await writeFile(join(folder, 'table.json'), JSON.stringify({ Table: { ...Table, TableName: localTableName } }));
  const [, args] = /@dynoxide\/\*\/dynoxide (import .*)/.exec(tasks)!;
  const { command } = (await engineKinds.dynoxide.findCommand())!;
  await promisify(execFile)(command, args!.split(' '), { cwd: folder });

  const { endpoint, stop: stopEngine } = await startEngine({ folder: join(folder, 'debug') });
  onTestFinished(stopEngine);
  expect((await contentsOf(endpoint, localTableName)).items).toEqual(items);
  const { stop, url, staff } = await startPetstore({ endpoint, tableName: localTableName, publishesEvents: true });
  onTestFinished(stop);
  const listener = await listenTo(url);
  onTestFinished(listener.stop);
  await staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Tim' } });
  // None is published for what was loaded.
  const event = { type: 'petstore.pet.updated', data: { id: pet.id, name: 'Tim' } };
  await expect.poll(() => listener.events).toMatchObject([event]);
});

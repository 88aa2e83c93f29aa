import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { DescribeTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, it } from 'vitest';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { stockedPet } from '../support/fixtures.ts';
import { tokenOf } from '../support/http.ts';
import { clientOf, usePetstore } from '../support/petstore.ts';
import { newFolder, ready, start } from '../support/processes.ts';

const petstore = usePetstore();
const tasks = await readFile(join(import.meta.dirname, '../../cdk/TASKS.md'), 'utf8');

const itemsOf = async (endpoint: string, TableName: string) => {
  const client = connect(endpoint);
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  client.destroy();
  return { items: Items.sort((a, b) => (a.pk!.S! < b.pk!.S! ? -1 : 1)), Table };
};

it.skipIf(inject('engine') !== 'Dynoxide')(
  'a table export, loaded as cdk/TASKS.md says, is served unchanged',
  async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const { items, Table } = await itemsOf(inject('endpoint'), petstore.tableName);
    const folder = await newFolder();
    const data = join(folder, 'export/petstore-local/data');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'one.json.gz'), gzipSync(items.map(Item => `${JSON.stringify({ Item })}\n`).join('')));
    await writeFile(join(folder, 'table.json'), JSON.stringify({ Table: { ...Table, TableName: 'petstore-local' } }));
    const [, args] = /@dynoxide\/\*\/dynoxide (import .*)/.exec(tasks)!;
    const { command } = (await engineKinds.dynoxide.findCommand())!;
    await mkdir(join(folder, 'debug'));
    await promisify(execFile)(command, args!.split(' '), { cwd: folder });

    const url = await ready(start('--data', join(folder, 'debug')));
    const { DynamoDbEndpoint, TableName } = (await (await fetch(`${url}/local`)).json()) as Record<string, string>;
    expect((await itemsOf(DynamoDbEndpoint!, TableName!)).items).toEqual(items);
    const feed = (await fetch(`${url}/local/events`)).body!.pipeThrough(new TextDecoderStream()).getReader();
    await clientOf(url, await tokenOf(url))('PATCH', `/pets/${pet.id}`, { body: { name: 'Tim' } });
    // None is published for what was loaded.
    const firstEvent = JSON.parse((await feed.read()).value!.split('\n')[0]!);
    expect(firstEvent).toMatchObject({ type: 'petstore.pet.updated', data: { id: pet.id, name: 'Tim' } });
    await feed.cancel();
  },
);

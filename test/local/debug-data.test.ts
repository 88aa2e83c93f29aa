import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DescribeTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { listenTo } from '../events/listener.ts';
import { stockedPet } from '../support/fixtures.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';
import { read } from '../support/project.ts';

const petstore = usePetstore();

it.runIf(inject('engine') === 'Dynoxide')(
  'a table export is loaded as cdk/TASKS.md says, and served',
  async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const { tableName: TableName } = petstore;
    const { Items = [] } = await connect(inject('endpoint')).send(new ScanCommand({ TableName }));
    const { Table } = await connect(inject('endpoint')).send(
      new DescribeTableCommand({ TableName }),
    );
    const cwd = tempFolder('data');
    const data = join(cwd, 'export/petstore-local/data');
    for (const folder of [data, join(cwd, 'debug')]) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(data, 'one.json.gz'),
      gzipSync(Items.map(Item => `${JSON.stringify({ Item })}\n`).join('')),
    );
    writeFileSync(
      join(cwd, 'table.json'),
      JSON.stringify({ Table: { ...Table, TableName: localTableName } }),
    );
    const [, args] = /@dynoxide\/\*\/dynoxide (import .*)/.exec(read('cdk/TASKS.md'))!;
    const { command } = (await engineKinds.dynoxide.findCommand())!;
    expect(spawnSync(command, args!.split(' '), { cwd })).toMatchObject({ status: 0 });

    const { endpoint, stop: stopEngine } = await startEngine({ folder: join(cwd, 'debug') });
    onTestFinished(stopEngine);
    const loaded = await connect(endpoint).send(new ScanCommand({ TableName: localTableName }));
    expect(new Set(loaded.Items)).toEqual(new Set(Items));
    const { stop, url, staff } = await startPetstore({
      endpoint,
      tableName: localTableName,
      publishesEvents: true,
    });
    onTestFinished(stop);
    const listener = await listenTo(url);
    onTestFinished(listener.stop);
    await staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Tim' } });
    // No events are published for the loaded items.
    const event = { type: 'petstore.pet.updated', data: { id: pet.id, name: 'Tim' } };
    await expect.poll(() => listener.events).toMatchObject([event]);
  },
);

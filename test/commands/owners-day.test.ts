import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RestoreTableToPointInTimeCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, inject, it } from 'vitest';
import { columns, type Values } from '../../cdk/commands/import/cells.ts';
import { writeSheet } from '../../cdk/commands/import/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { recordsIn } from '../support/catalog.ts';
import { useDeployedStage } from '../support/fake-aws.ts';
import { useImports } from '../support/imports.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { startRestoreEmulator } from '../support/restore-emulator.ts';

const petstore = usePetstore();
const { order, sell, change, idOf } = await useImports(petstore);
const engine = await startRestoreEmulator(inject('endpoint'));
const client = connect(engine.url);
const aws = await useDeployedStage(() => ({ TableName: petstore.tableName, ApiUrl: petstore.url }));
afterAll(() => void [client.destroy(), engine.stop()]);

const folder = tempFolder('data');
const copy = () => `${petstore.tableName}-drill-1`;
/** A line without `npm run`, with a stage. @returns what it prints, and its exit code if that is not 0 */
const npm = async (line: string): Promise<string[]> => {
  const [name, ...args] = line
    .replace(/^import/, 'import/index')
    .replace(/^audit/, 'audit/index')
    .replace(' --', '')
    .replace(/petstore-prod-drill-\d+/, copy)
    .replace(/[\w-]+\.xlsx/, file => join(folder, file))
    .replace('--stage prod', line.includes('--table') ? '--stage dev' : `--local ${petstore.url}`)
    .split(' ');
  const environment = { ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB: engine.url };
  const { code, out } = await runInProcess(`cdk/commands/${name}.ts`, args, environment);
  const printed = out
    .replaceAll(/pet-\d+/g, 'ID')
    .replaceAll(`${folder}/`, '')
    .split('\n');
  return [...printed.filter(Boolean), ...(code ? [`exit code ${code}`] : [])];
};
/** The lines of an entry of the runbook. */
const runbook = (title: string): string[] => {
  const entry = readFileSync('cdk/RUNBOOK.md', 'utf8')
    .split('\n### ')
    .find(text => text.startsWith(`${title}\n`))!;
  return Array.from(
    entry.matchAll(/npm run ((?:import|export) -- .*?)(?: +#.*)?$/gm),
    ([, line]) => line!,
  );
};
const edit = async (file: string, cells: Record<string, Values>, ...news: Values[]) => {
  const path = join(folder, file);
  const rows = await recordsIn(path);
  await writeSheet(path, columns, [...rows.map(row => ({ ...row, ...cells[row.name!] })), ...news]);
};

it('an owner exports, edits, counts, takes back a wrong import, and repairs pets, with the lines of the runbook', async () => {
  const first = ['Tom', 'Rex', 'Kit', 'Ada'].map((name, index) => ({
    name,
    category: 'Cats',
    stock: [1, 7, 2, 4][index],
  }));
  await writeSheet(join(folder, 'pets.xlsx'), columns, first);
  expect(await npm('import -- pets.xlsx --stage prod')).toContain(
    '4 rows: 4 created, 0 changed, 0 unchanged, 0 refused',
  );

  // A delivery, a new name, a hold, and a new pet.
  expect(await npm('export -- stock.xlsx --stage prod')).toEqual(['4 pets are in stock.xlsx.']);
  await edit(
    'stock.xlsx',
    { Tom: { name: 'Tomcat' }, Rex: { stock: 9 }, Kit: { status: 'pending' } },
    { name: 'Leo', category: 'Lions', stock: 2 },
  );
  await order('Rex', 'Cats', 2);
  expect(await npm('import -- stock.xlsx --stage prod')).toEqual([
    'line 2: ID Tom: name "Tom" → "Tomcat"; available',
    'line 3: ID Rex: stock 7 → 9; available',
    'line 4: ID Kit: status "available" → "pending"; pending (on hold)',
    'new category: Lions',
    'line 6: ID Leo: created in Lions, stock 2; available',
    '5 rows: 1 created, 3 changed, 1 unchanged, 0 refused',
  ]);

  // A stock-take: on the shelf are 8 of Rex, 3 of Ada, and as many of the others as before. Meanwhile, two are sold.
  await npm('export -- stock.xlsx --stage prod');
  await edit('stock.xlsx', { Rex: { stock: 8 }, Ada: { stock: 3 } });
  await sell('Ada', 'Cats', 1);
  await sell('Leo', 'Lions', 1);
  expect(await npm('import -- stock.xlsx --stage prod')).toEqual([
    'line 5: ID Ada: stock 4 at the export, 3 now',
    'line 6: ID Leo: stock 2 at the export, 1 now',
    'line 3: ID Rex: stock 9 → 8; available',
    'line 5: ID Ada: refused, it was changed since the export. stock: now 3, expected 4, in the file 3',
    '5 rows: 0 created, 1 changed, 3 unchanged, 1 refused',
    'exit code 1',
  ]);

  // A wrong file: the prices as stock.
  await npm('export -- wrong.xlsx --stage prod');
  await edit(
    'wrong.xlsx',
    { Rex: { stock: 50 }, Ada: { stock: 30 }, Kit: { status: 'available' } },
    { name: 'Price', category: 'Cats' },
  );
  expect(await npm('import -- wrong.xlsx --stage prod')).toContain(
    '6 rows: 1 created, 3 changed, 2 unchanged, 0 refused',
  );
  await sell('Rex', 'Cats', 3);
  const [undo] = runbook('A wrong import') as [string];
  const undone = [
    'ID Price: deleted',
    'ID Rex: set back: stock 47 → 5',
    'ID Kit: set back: status "available" → "pending"',
    'ID Ada: set back: stock 30 → 3',
    'Complete orders of deleted pets stay.',
    '4 pets: 4 as before, 0 left',
  ];
  expect(await npm(undo)).toEqual([
    'ID Price: would be deleted',
    'ID Rex: would be set back: stock 47 → 5',
    'ID Kit: would be set back: status "available" → "pending"',
    'ID Ada: would be set back: stock 30 → 3',
    'Complete orders of deleted pets stay.',
    '4 pets: 4 would be as before, 0 would be left',
    'Dry run: nothing was written',
  ]);
  expect(await npm(undo.replace(' --dry-run', ''))).toEqual(undone);

  // A script writes wrong stock, and a repair from a copy of before follows. One unit is sold in between.
  const restoring = { SourceTableName: petstore.tableName, TargetTableName: copy() };
  await client.send(new RestoreTableToPointInTimeCommand(restoring));
  const waiting = { client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 0.1 };
  await waitUntilTableExists(waiting, { TableName: copy() });
  await sell('Rex', 'Cats', 1);
  const path = `/store/inventory/${await idOf('Rex', 'Cats')}`;
  await petstore.staff('PUT', path, { body: { quantity: 400 } });
  await change('Tomcat', 'Cats', { name: 'T0mcat', status: 'sold' });
  const [exportCopy, repair] = runbook('Some pets are wrong') as [string, string];
  expect(await npm(exportCopy)).toContain('5 pets are in held.xlsx.');
  const repaired = [
    'line 2: ID T0mcat: name "T0mcat" → "Tomcat"; status "sold" → "available"; available',
    'line 3: ID Rex: stock 402 → 4; available',
    '5 rows: 0 created, 2 changed, 3 unchanged, 0 refused',
  ];
  expect(await npm(repair)).toEqual([...repaired, 'Dry run: nothing was written']);
  expect(await npm(repair.replace(' --dry-run', ''))).toEqual(repaired);
  await npm(exportCopy);
  expect(await npm(repair)).toContain('5 rows: 0 created, 0 changed, 5 unchanged, 0 refused');
  expect((await npm('audit -- --stage prod')).join()).toContain('0 mismatches');
});

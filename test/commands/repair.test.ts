import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RestoreTableToPointInTimeCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, inject, it } from 'vitest';
import { columns, toCell, type Values } from '../../cdk/commands/import/cells.ts';
import { writeSheet } from '../../cdk/commands/shared/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import { recordsIn, writeRows } from '../support/catalog.ts';
import { useDeployedStage } from '../support/fake-aws.ts';
import { createCategory, createPet, setQuantity, succeed } from '../support/fixtures.ts';
import { useImports } from '../support/imports.ts';
import { type Client, usePetstore } from '../support/petstore.ts';
import { startRestoreEmulator } from '../support/restore-emulator.ts';
import { runCommand } from '../support/run-command.ts';

const petstore = usePetstore();
const { importing, corrected, order, sell, change, idOf } = await useImports(petstore);
const engine = await startRestoreEmulator(inject('endpoint'));
const client = connect(engine.url);
const aws = await useDeployedStage(() => ({ TableName: petstore.tableName, ApiUrl: petstore.url }));
afterAll(() => void [client.destroy(), engine.stop()]);

const restore = async (TargetTableName: string) => {
  await client.send(
    new RestoreTableToPointInTimeCommand({ SourceTableName: petstore.tableName, TargetTableName }),
  );
  const waiting = { client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 0.1 };
  await waitUntilTableExists(waiting, { TableName: TargetTableName });
};
const environment = () => ({ ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB: engine.url });
const folder = tempFolder('data');

const dayCopy = () => `${petstore.tableName}-drill-day`;
/** A line without `npm run`, with a stage. @returns what it prints, and its exit code if that is not 0 */
const npm = async (line: string): Promise<string[]> => {
  const [name, ...args] = line
    .replace(/^import/, 'import/index')
    .replace(/^audit/, 'audit/index')
    .replace(' --', '')
    .replace(/petstore-prod-drill-\d+/, dayCopy)
    .replace(/[\w-]+\.xlsx/, file => join(folder, file))
    .replace('--stage prod', line.includes('--table') ? '--stage dev' : `--local ${petstore.url}`)
    .split(' ');
  const { code, out } = await runCommand(`cdk/commands/${name}.ts`, args, environment());
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
  return Array.from(entry.matchAll(/npm run ((?:import|export) -- .*?)$/gm), ([, line]) => line!);
};
const editDay = async (file: string, cells: Record<string, Values>, ...news: Values[]) => {
  const path = join(folder, file);
  const rows = await recordsIn(path);
  await writeRows([...rows.map(row => ({ ...row, ...cells[row.name!] })), ...news], path);
};

// This test is first, because it expects that no other pets exist.
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
  expect(await npm('export -- stock.xlsx --stage prod')).toEqual(['Wrote 4 pets to stock.xlsx.']);
  await editDay(
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
  await editDay('stock.xlsx', { Rex: { stock: 8 }, Ada: { stock: 3 } });
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
  await editDay(
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
  await restore(dayCopy());
  await sell('Rex', 'Cats', 1);
  const path = `/store/inventory/${await idOf('Rex', 'Cats')}`;
  await petstore.staff('PUT', path, { body: { quantity: 400 } });
  await change('Tomcat', 'Cats', { name: 'T0mcat', status: 'sold' });
  const [exportCopy, repair] = runbook('Some pets are wrong') as [string, string];
  expect(await npm(exportCopy)).toContain('Wrote 5 pets to held.xlsx.');
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

// The copy is taken after phase 0, the wrong import follows phase 1, and the export of the copy phase 2.
const phases = [0, 1, 2, 3];
type End = { readonly at: number; readonly by: 'sale' | 'completion' | 'cancellation' | 'nobody' };
/** An order of two units is placed and ended in each phase, or a unit is sold at the counter. */
const schedules = phases.flatMap(placed => [
  { placed, end: { at: placed, by: 'sale' } as End },
  { placed, end: { at: placed, by: 'nobody' } as End },
  ...phases
    .slice(placed)
    .flatMap(at => [{ at, by: 'completion' } as End, { at, by: 'cancellation' } as End])
    .map(end => ({ placed, end })),
]);
const wrongs = petStatuses.flatMap(status => [9, 3].map(stock => ({ status, stock })));
const histories = schedules.flatMap((schedule, index) =>
  [1, 2, 5].map((units, row) => {
    const at = index * 3 + row;
    const hold = ['', '', 'pending', 'sold'][(index + row) % 4]!;
    return { ...schedule, units, hold, wrong: wrongs[at % wrongs.length]! };
  }),
);

const staff: Client = (...request) => petstore.staff(...request);
const petsOnHold = async () => {
  const { body } = await staff('GET', '/store/inventory?onHold=true&limit=100');
  return new Set((body as { petId: number }[]).map(({ petId }) => petId));
};
const open = new Map<number, number>();
const sold = new Map<number, number>();
/** What happens to a pet in a phase, as far as its units and status permit it. */
const happen = async (petId: number, { placed, end }: (typeof schedules)[0], phase: number) => {
  const complete = end.by === 'sale';
  if (placed === phase) {
    const body = { petId, quantity: 2, complete };
    const order = await staff('POST', '/store/orders', { body });
    if (order.status === 201 && complete) sold.set(petId, 2);
    else if (order.status === 201) open.set(petId, order.body.id);
  }
  const id = open.get(petId);
  if (end.at !== phase || end.by === 'nobody' || !id) return;
  const path = `/store/orders/${id}`;
  const isCompleted = end.by === 'completion';
  const body = { complete: true };
  await succeed(staff, isCompleted ? 'PATCH' : 'DELETE', path, isCompleted ? { body } : {});
  open.delete(petId);
  if (isCompleted) sold.set(petId, 2);
};

it('a repair from a restored table gives each pet what it has without the wrong import, or names it, whenever it is ordered', async () => {
  const { id: categoryId } = await createCategory(staff, 'Histories');
  const ids: number[] = [];
  for (const { units } of histories) {
    const { id } = await createPet(staff, categoryId);
    await setQuantity(staff, id, units);
    ids.push(id);
  }
  const happenAll = async (phase: number) => {
    for (const [index, history] of histories.entries()) await happen(ids[index]!, history, phase);
  };
  await happenAll(0);
  for (const [index, { hold }] of histories.entries())
    if (hold) await staff('PATCH', `/pets/${ids[index]}`, { body: { status: hold } });
  // A pet that was `pending` already is not on hold.
  const held = await petsOnHold();
  const copy = `${petstore.tableName}-drill-1`;
  await restore(copy);
  await happenAll(1);
  const { file: wrong } = await corrected('Histories', (_, index) => ({
    ...histories[index]!.wrong,
    name: 'Wrong',
  }));
  await importing(wrong);
  await happenAll(2);
  const file = join(folder, 'held.csv');
  const exportCopy = async () => {
    const args = ['--stage', 'dev', '--table', copy, file];
    const { code, output } = await runCommand('cdk/commands/export.ts', args, environment());
    const moment =
      /^\S+-drill-1 has the state of \d{4}-.*Z\.\nNot taken into account: .*'Changed resources by client'/m;
    expect([code, output]).toEqual([0, expect.stringMatching(moment)]);
    const rows = await recordsIn(file);
    await writeSheet(
      file,
      columns,
      rows.filter(({ id }) => ids.some(petId => toCell(petId) === id)),
    );
    return output;
  };
  /** @returns the pets that are to be exported again */
  const repair = async (printed: string) => {
    const { out } = await importing(file);
    const holds = await petsOnHold();
    const again: number[] = [];
    for (const [index, history] of histories.entries()) {
      const id = ids[index]!;
      const stock = history.units - (sold.get(id) ?? 0);
      const [refused = ''] =
        new RegExp(`^line .*${toCell(id)} .*: refused, .*`, 'm').exec(out) ?? [];
      const note = `${JSON.stringify(history)}\n${printed}${out}`;
      if (refused.includes('was changed since the export')) again.push(index);
      else if (stock < 0)
        expect(printed, note).toMatch(`${toCell(id)} Tom is not in the file: ${-stock} units more`);
      else if (open.has(id) && stock < 2)
        expect(refused, note).toContain('Open orders have 2 units');
      else {
        const { body } = await staff('GET', `/store/inventory/${id}?units=stocked`);
        expect(body.quantity, note).toBe(stock);
        expect((await staff('GET', `/pets?id=${id}`)).body[0].name).toBe('Tom');
        // `sold` is no hold without a unit.
        if (stock > 0 || history.hold !== 'sold') expect(holds.has(id), note).toBe(held.has(id));
      }
    }
    return again;
  };
  const printed = await exportCopy();
  await happenAll(3);
  // Orders and cancellations since the export do not matter. A pet that was sold is exported again.
  for (const index of await repair(printed)) expect(histories[index]!.end).toMatchObject({ at: 3 });
  expect(await repair(await exportCopy())).toEqual([]);
  await exportCopy();
  expect((await importing(file)).out).toContain(' 0 changed');
});

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changedCells, columns, isFragile, readRows, revisionOf, toCell } from '../../cdk/commands/import/rows.ts';
import { writeSheet } from '../../cdk/commands/import/sheet.ts';
import { newFolder } from '../support/processes.ts';

const hasCalc = spawnSync('soffice', ['--version']).status === 0;
if (!hasCalc) console.log('Skipped: the spreadsheet. Install LibreOffice Calc, so that soffice is in the PATH');

const texts =
  '007|1E5|1/2|10%|03:00|12345678901234567890|=HYPERLINK("x")|=1+1|+1|-1|@x|\'Tom|TRUE|false|Sept 1|MARCH1|1,5|(5)|$5' +
  '|2026-01-01|1 1/2|.5|_x0041_|constructor|Caf\ufffd|Cafe\u0301|a;b "c"|猫';
const names = texts.split('|');
const pets = names.map((name, index) => ({ name, category: names.at(-index)!, status: 'pending', quantity: index }));
const idOf = (index: number) => 245137418240001 + index;

/** Writes a file, and saves it with Calc, which detects numbers and dates in CSV as in its dialog. @returns the changed cells */
const changedBy = async (kind: 'csv' | 'xlsx', ...formats: string[]) => {
  const folder = await newFolder();
  let file = join(folder, `pets.${kind}`);
  const revisionAt = (index: number) => revisionOf(idOf(index), pets[index]!);
  const rows = pets.map((pet, index) => ({ ...pet, id: toCell(idOf(index)), revision: revisionAt(index) }));
  await writeSheet(file, columns, rows);
  for (const [step, format] of formats.entries()) {
    const [profile, saved] = [`-env:UserInstallation=file://${folder}/profile`, join(folder, `${step}`)];
    const utf8 = kind === 'csv' ? ['--infilter=CSV:44,34,76,1,,1033,false,true'] : [];
    execFileSync('soffice', ['--headless', profile, ...utf8, '--convert-to', format, '--outdir', saved, file]);
    file = join(saved, `pets.${format.split(':')[0]}`);
  }
  const read = await readRows(file);
  expect(read.map(({ revision }) => revision)).toEqual(pets.map((_, index) => revisionAt(index)));
  return read.flatMap(({ values }, index) =>
    Object.entries(changedCells(pets[index]!, values)).map(([column, text]) => [pets[index]![column as 'name'], text]),
  );
};

const csv = 'csv:Text - txt - csv (StarCalc):44,34,76,1';
it.skipIf(!hasCalc).for([[['xlsx']], [[csv]], [['ods', 'xlsx']]])(
  'Calc saves an .xlsx as %j without a change',
  async ([formats]) => expect(await changedBy('xlsx', ...formats!)).toEqual([]),
);

it.skipIf(!hasCalc)(
  'Calc changes texts in CSV, but evaluates no formula, and the import notices each change',
  async () => {
    const changed = await changedBy('csv', csv);
    expect(changed).toContainEqual(['007', '7']);
    expect(changed.length).toBeGreaterThan(10);
    expect(changed.filter(([text]) => !isFragile(text) || /^[=+@-]/.test(`${text}`))).toEqual([]);
  },
);

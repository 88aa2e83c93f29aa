import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changedCells, isFragile } from '../../cdk/commands/import/rows.ts';
import { exportAndRead } from '../support/catalog.ts';
import { hasCommand } from '../support/has-command.ts';
import { newFolder } from '../support/processes.ts';

// LibreOffice Calc.
const hasCalc = hasCommand('soffice');

const texts =
  '007|1E5|1/2|10%|03:00|12345678901234567890|=HYPERLINK("x")|=1+1|+1|-1|@x|\'Tom|TRUE|false|Sept 1|MARCH1|1,5|(5)|$5|½' +
  '|2026-01-01|1 1/2|.5|_x0041_|constructor|Caf\ufffd|Cafe\u0301|a;b "c"|猫';
const names = texts.split('|');
const pets = names.map((name, quantity) => ({ name, category: names.at(-quantity)!, status: 'sold', quantity }));

/** Calc detects numbers and dates in CSV as in its dialog. @returns the texts that it changes */
const changedBy = async (kind: 'csv' | 'xlsx', ...formats: string[]) => {
  const folder = await newFolder();
  const options = ['--headless', `-env:UserInstallation=file://${folder}/profile`];
  if (kind === 'csv') options.push('--infilter=CSV:44,34,76,1,,1033,false,true');
  const save = (path: string, format: string) => {
    execFileSync('soffice', [...options, '--convert-to', format, '--outdir', `${folder}/saved`, path]);
    return `${folder}/saved/pets.${format.split(':')[0]}`;
  };
  const { read } = await exportAndRead(join(folder, `pets.${kind}`), pets, path => formats.reduce(save, path));
  const changes = pets.map((pet, index) => Object.entries(changedCells(pet, read[index]!.values)));
  return changes.flatMap((cells, index) => cells.map(([column, text]) => [pets[index]![column as 'name'], `${text}`]));
};

const csv = 'csv:Text - txt - csv (StarCalc):44,34,76,1';
it.skipIf(!hasCalc)('Calc saves .xlsx without a change, as .xlsx, as CSV, and by way of .ods', async () => {
  for (const formats of [['xlsx'], [csv], ['ods', 'xlsx']])
    expect(await changedBy('xlsx', ...formats), formats.join()).toEqual([]);
});

it.skipIf(!hasCalc)('Calc changes texts in CSV, evaluates no formula, and the import notices each change', async () => {
  const changed = await changedBy('csv', csv);
  expect(changed).toContainEqual(['007', '7']);
  expect(changed.length).toBeGreaterThan(10);
  expect(changed.filter(([text]) => !isFragile(text) || /^[=+@-]/.test(text!))).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changedCells, isFragile } from '../../cdk/commands/import/cells.ts';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { exportAndRead } from '../support/catalog.ts';
import { hasCommand } from '../support/has-command.ts';
import { petRows, workbook } from '../support/workbook.ts';

// LibreOffice Calc.
const hasCalc = hasCommand('soffice');

const texts =
  '007|1E5|1/2|10%|03:00|12345678901234567890|=HYPERLINK("x")|=1+1|+1|-1|@x|\'Tom|TRUE|false|Sept 1|MARCH1|1,5|(5)|$5|½' +
  '|2026-01-01|1 1/2|.5|_x0041_|constructor|Caf\ufffd|Cafe\u0301|a;b "c"|猫';
const names = texts.split('|');
const pets = names.map((name, stock) => ({
  name,
  category: names.at(-stock)!,
  status: 'sold',
  stock,
}));

/** @param format such as `xlsx` @returns the path of the saved file */
const save = (folder: string, path: string, format: string, ...options: string[]) => {
  const args = ['--headless', `-env:UserInstallation=file://${folder}/profile`, ...options];
  execFileSync('soffice', [...args, '--convert-to', format, '--outdir', `${folder}/saved`, path]);
  return `${folder}/saved/pets.${format.split(':')[0]}`;
};

/** Calc detects numbers and dates in CSV as in its dialog. @returns the texts that it changes */
const changedBy = async (kind: 'csv' | 'xlsx', ...formats: string[]) => {
  const folder = tempFolder('data');
  const options = kind === 'csv' ? ['--infilter=CSV:44,34,76,1,,1033,false,true'] : [];
  const saved = (path: string) =>
    formats.reduce((from, format) => save(folder, from, format, ...options), path);
  const { read } = await exportAndRead(join(folder, `pets.${kind}`), pets, saved);
  const changes = pets.map((pet, index) => Object.entries(changedCells(pet, read[index]!.values)));
  return changes.flatMap((cells, index) =>
    cells.map(([column, text]) => [pets[index]![column as 'name'], `${text}`]),
  );
};

const csv = 'csv:Text - txt - csv (StarCalc):44,34,76,1';
it.skipIf(!hasCalc)(
  'Calc saves .xlsx without a change, as .xlsx, as CSV, and by way of .ods',
  async () => {
    for (const formats of [['xlsx'], [csv], ['ods', 'xlsx']])
      expect(await changedBy('xlsx', ...formats), formats.join()).toEqual([]);
  },
);

it.skipIf(!hasCalc)(
  'Calc changes texts in CSV, evaluates no formula, and the import notices each change',
  async () => {
    const changed = await changedBy('csv', csv);
    expect(changed).toContainEqual(['007', '7']);
    expect(changed.length).toBeGreaterThan(10);
    expect(changed.filter(([text]) => !isFragile(text) || /^[=+@-]/.test(text!))).toEqual([]);
  },
);

it.skipIf(!hasCalc)(
  'Calc computes formulas, and the import names errors and skips hidden sheets of what it saves',
  async () => {
    const saved = async (formula: string) => {
      const sheets = { Pets: petRows(`<c r="C2"><f>${formula}</f></c>`), Old: petRows() };
      const file = await workbook(sheets, { 'name="Old"': 'name="Old" state="hidden"' });
      return readRows(save(tempFolder('data'), file, 'xlsx'));
    };
    expect(await saved('1+1')).toMatchObject([{ values: { name: 'Tom', stock: 2 } }]);
    await expect(saved('NA()')).rejects.toThrow(/^C2 shows #N\/A/);
    await expect(saved('1=1')).rejects.toThrow(/^C2 is the logical value TRUE/);
  },
);

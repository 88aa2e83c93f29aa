import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import writeXlsx from 'write-excel-file/node';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { newFolder } from '../support/processes.ts';
import { pets, text, workbook } from '../support/workbook.ts';

const number = '<c r="C2"><v>3</v></c>';
const read = async (file: string, sheet?: string) => (await readRows(file, { sheet })).map(({ values }) => values);

it.each<[string, RegExp, string?]>([
  ['<c r="C2" t="e"><v>#N/A</v></c>', /^C2 shows #N\/A\. /],
  ['<c r="C2" s="0" t="e"><f aca="false">1/0</f><v>#DIV/0!</v></c>', /^C2 shows #DIV\/0!\. /],
  ["<c t='e' r='C2' vm='1'><v>#VALUE!</v></c>", /^C2 shows #VALUE!\. /],
  ['<c r="C2"><f>B2*2</f><v></v></c>', /^C2 has a formula without a value: =B2\*2\. /],
  ['<c r="C2"><f>IF(A1&lt;2,"&#233;",1)</f></c>', /^C2 has a formula without a value: =IF\(A1<2,"é",1\)\. /],
  ['<c r="C2" t="str"><f t="shared" si="0"/></c>', /^C2 has a formula without a value: =\. /],
  ['<c r="C2"><f>B9*2</f><v>0</v></c>', /^C2 has a formula without a value: =B9\*2\. /, '<calcPr fullCalcOnLoad="1"/>'],
  ['<c r="C2" t="b"><v>0</v></c>', /^C2 is the logical value FALSE\. /],
  ['<c r="C2" t="d"><v>2026-01-02T00:00:00Z</v></c>', /^C2 is the date 2026-01-02T00:00:00.000Z\. /],
  ['<c r="AB2"><v>245137418240001111</v></c>', /^AB2 has more than 15 digits: 24513741\d+\. /],
])('%s stops the import, which names the cell and what it shows', async (cell, problem, calcPr) => {
  await expect(read(await workbook([{ rows: pets(cell) }], calcPr))).rejects.toThrow(problem);
});

it('names each cell, at most ten, and also one of a column without a name', async () => {
  const cells = [...'CDEFGHIJKLM'].map(column => `<c r="${column}2" t="e"><v>#REF!</v></c>`).join('');
  const problems = /^(?:[C-L]2 shows #REF!\. [^\n]+\n){10}… and 1 more$/;
  await expect(read(await workbook([{ rows: pets(cells) }]))).rejects.toThrow(problems);
  const logical = [
    [{ value: 'name' }, { value: 'category' }],
    [{ value: true }, { value: 'Cats' }],
  ];
  const file = join(await newFolder(), 'pets.xlsx');
  writeFileSync(file, await writeXlsx(logical, {}).toBuffer());
  await expect(read(file)).rejects.toThrow(
    /^A2 is the logical value TRUE\. Format the cell as text, and enter it again\.$/m,
  );
});

it.each([
  ['<c r="C2"><f>1+2</f><v>3</v></c>', 3],
  ['<c r="C2" t="n"/>', undefined],
  ['<c r="C2" t="str"><f>IF(1,"","")</f><v></v></c>', undefined],
])('%s is a value', async (cell, quantity) => {
  expect(await read(await workbook([{ rows: pets(cell) }]))).toEqual([{ name: 'Tom', category: 'Cats', quantity }]);
});

it('reads the first sheet that is visible, or the one that --sheet names, and prints the names of all', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const rows = (name: string) => pets(number, `${text('A2', name)}${text('B2', 'Cats')}`);
  const file = await workbook([
    { name: 'Chart', kind: 'chartsheet', rows: '' },
    { name: 'A &amp; B', state: 'state="hidden"', rows: rows('Old') },
    { name: 'Lists', state: "state='veryHidden'", rows: '<row r="1"><c r="A1" t="e"><v>#N/A</v></c></row>' },
    { name: 'Stock', state: 'state="visible"', rows: rows('Tom'), target: '/xl/worksheets/sheet4.xml' },
    { name: 'Notes', rows: `<row r="3">${text('A3', 'Quantity')}${text('B3', 'of food')}</row>` },
  ]);
  expect(await read(file)).toMatchObject([{ name: 'Tom' }]);
  const line = 'Sheet "Stock". Not read: "A & B" (hidden), "Lists" (hidden), "Notes". To read another: --sheet NAME';
  expect(log.mock.calls).toEqual([[line]]);
  expect(await read(file, 'A & B')).toMatchObject([{ name: 'Old' }]);
  await expect(read(file, 'Pets')).rejects.toThrow(/no sheet "Pets".*"A & B" \(hidden\), /);
  log.mockRestore();
});

it('asks for --sheet if several visible sheets have known columns', async () => {
  const file = await workbook([{ name: 'May' }, { name: 'June', rows: pets('<c r="C2" t="e"><v>#N/A</v></c>') }]);
  await expect(read(file)).rejects.toThrow('"May", "June" all have columns of pets. Choose one: --sheet NAME');
  expect(await read(file, 'May')).toMatchObject([{ name: 'Tom' }]);
  await expect(read(file, 'June')).rejects.toThrow(/^C2 shows #N\/A/);
  const csv = join(await newFolder(), 'pets.csv');
  writeFileSync(csv, 'name,category\nTom,Cats');
  await expect(read(csv, 'May')).rejects.toThrow('--sheet May');
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { petRows, text, workbook } from '../support/workbook.ts';

const read = async (file: string, sheet?: string) =>
  (await readRows(file, sheet)).map(({ values }) => values);
/** What a program stores that computes no formula. */
const notComputed = { '<calcPr/>': '<calcPr calcId="124519" fullCalcOnLoad="1"/>' };

// As Excel, Google Sheets, LibreOffice, openpyxl and XlsxWriter write cells.
it.each<[string, RegExp, object?]>([
  ['<c r="C2" t="e"><v>#N/A</v></c>', /^C2 shows #N\/A\. /],
  ['<c r="C2" s="0" t="e"><f aca="false">1/0</f><v>#DIV/0!</v></c>', /^C2 shows #DIV\/0!\. /],
  ["<c t='e' r='C2' vm='1'><v>#VALUE!</v></c>", /^C2 shows #VALUE!\. /],
  ['<c r="C2"><f>B2*2</f><v></v></c>', /^C2 has a formula without a value: =B2\*2\. /],
  [
    '<c r="C2"><f>IF(A1&lt;2,"&#233;",1)</f></c>',
    /^C2 has a formula without a value: =IF\(A1<2,"é",1\)\. /,
  ],
  ['<c r="C2" t="str"><f t="shared" si="0"/></c>', /^C2 has a formula without a value: =\. /],
  [
    '<c r="C2"><f>B9*2</f><v>0</v></c>',
    /^C2 has a formula without a value: =B9\*2\. /,
    notComputed,
  ],
  [
    '<c r="C2" t="b"><v>0</v></c>',
    /^C2 is the logical value FALSE\. Format the cell as text, and enter it again\.$/,
  ],
  ['<c r="C2" t="b"><f>TRUE()</f><v>1</v></c>', /^C2 is the logical value TRUE\. /],
  [
    '<c r="C2" t="d"><v>2026-01-02T00:00:00Z</v></c>',
    /^C2 is the date 2026-01-02T00:00:00\.000Z\. /,
  ],
  ['<c r="AB2"><v>245137418240001111</v></c>', /^AB2 has more than 15 digits: 24513741\d+\. /],
  [
    [...'CDEFGHIJKLM'].map(column => `<c r="${column}2" t="e"><v>#REF!</v></c>`).join(''),
    /^([C-L]2 shows #REF!\. [^\n]+\n){10}… and 1 more$/,
  ],
])('%s stops the import, which names the cell and what it shows', async (cell, problem, edits) => {
  await expect(read(await workbook({ Pets: petRows(cell) }, edits))).rejects.toThrow(problem);
});

it.each([
  ['<c r="C2"><f>1+2</f><v>3</v></c>', 3],
  ['<c r="C2" t="n"/>', undefined],
  ['<c r="C2" t="str"><f>IF(1,"","")</f><v></v></c>', undefined],
])('%s is a value', async (cell, stock) => {
  expect(await read(await workbook({ Pets: petRows(cell) }))).toEqual([
    { name: 'Tom', category: 'Cats', stock },
  ]);
});

it('reads the first visible sheet, or the one that --sheet names, and prints the names of all', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const notes = `<row r="3">${text('A3', 'Stock')}${text('B3', 'of food')}</row>`;
  const broken = '<row r="1"><c r="A1" t="e"><v>#N/A</v></c></row>';
  const file = await workbook(
    { Chart: '', 'A & B': petRows('', 'Old'), Lists: broken, Stock: petRows(), Notes: notes },
    {
      'worksheet" Target="worksheets/sheet1': 'chartsheet" Target="chartsheets/sheet1',
      'name="A &amp; B"': 'name="A &amp; B" state="hidden"',
      'name="Lists"': "state='veryHidden' name='Lists'",
      'name="Stock"': 'name="Stock" state="visible"',
      '"worksheets/sheet4': '"/xl/worksheets/sheet4',
    },
  );
  expect(await read(file)).toMatchObject([{ name: 'Tom' }]);
  const line =
    'Sheet "Stock". Not read: "A & B" (hidden), "Lists" (hidden), "Notes". To read another: --sheet NAME';
  expect(log.mock.calls).toEqual([[line]]);
  expect(await read(file, 'A & B')).toMatchObject([{ name: 'Old' }]);
  await expect(read(file, 'Pets')).rejects.toThrow('has no sheet "Pets": "A & B" (hidden), ');
});

it('imports hidden rows, too, and counts them', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const hidden = { '<row r="2">': '<row r="2" hidden="1">' };
  expect(await read(await workbook({ Pets: petRows() }, hidden))).toMatchObject([{ name: 'Tom' }]);
  expect(log.mock.calls).toEqual([['Sheet "Pets"'], ['Hidden rows are imported, too: 1']]);
});

it('refuses cells without a position', async () => {
  const file = await workbook({ Pets: petRows('<c><v>3</v></c>') });
  await expect(read(file)).rejects.toThrow(/pets\.xlsx is not a readable \.xlsx file\. Save it/);
  const error = await workbook({ Pets: petRows('<c t="e"><v>#N/A</v></c>') });
  await expect(read(error)).rejects.toThrow('A cell shows #N/A. ');
});

it('asks for --sheet if several visible sheets have known columns', async () => {
  const file = await workbook({ May: petRows(), June: petRows('<c r="C2" t="e"><v>#N/A</v></c>') });
  await expect(read(file)).rejects.toThrow(
    '"May", "June" all have columns of pets. Choose one: --sheet NAME',
  );
  expect(await read(file, 'May')).toMatchObject([{ name: 'Tom' }]);
  await expect(read(file, 'June')).rejects.toThrow(/^C2 shows #N\/A/);
  await expect(read('pets.csv', 'May')).rejects.toThrow(
    'pets.csv has no sheets. --sheet May is for .xlsx files.',
  );
});

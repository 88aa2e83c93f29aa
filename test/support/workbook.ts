import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import writeXlsx from 'write-excel-file/node';
import { tempFolder } from '../../cdk/files/temp-folder.ts';

export const text = (cell: string, value: string) =>
  `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;
const header = `<row r="1">${text('A1', 'name')}${text('B1', 'category')}${text('C1', 'stock')}</row>`;
/** Rows of a sheet with one pet. */
export const petRows = (stock = '<c r="C2"><v>3</v></c>', name = 'Tom') =>
  `${header}<row r="2">${text('A2', name)}${text('B2', 'Cats')}${stock}</row>`;

/** @param sheets the XML of their rows by their names @param edits replace XML, as other programs write it */
export const workbook = async (
  sheets: Readonly<Record<string, string>>,
  edits = {},
): Promise<string> => {
  const names = Object.keys(sheets).map(sheet => ({ sheet, data: [[{ value: 'x' }]] }));
  const parts = Object.entries(unzipSync(await writeXlsx(names).toBuffer())).map(
    ([path, bytes]) => {
      const rows = Object.values(sheets)[Number(/worksheets\/sheet(\d+)/.exec(path)?.[1]) - 1];
      const xml = strFromU8(bytes).replace(
        /<sheetData>.*<\/sheetData>/s,
        `<sheetData>${rows}</sheetData>`,
      );
      return [
        path,
        strToU8(
          Object.entries<string>(edits).reduce((text, [from, to]) => text.replace(from, to), xml),
        ),
      ];
    },
  );
  const file = join(tempFolder('data'), 'pets.xlsx');
  writeFileSync(file, zipSync(Object.fromEntries(parts)));
  return file;
};

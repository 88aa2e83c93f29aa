import { existsSync, realpathSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { note } from '../../command.ts';
import { replaceFile } from '../../files/replace-file.ts';

// The cells of .xlsx have types. In CSV, a spreadsheet reads "007" as 7 and "1/2" as a date.

export const isXlsx = (file: string): boolean => /\.xlsx$/i.test(file);

// The export writes an apostrophe before a CSV cell that can be evaluated as a formula (OWASP, "CSV Injection"), and before an
// apostrophe, so that the import can remove it. Both look behind outer spaces, which the import also removes.
export const [guarded, guard] = [
  /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠'])/,
  /^'(?=[\t\r\n]|\s*[=+\-@＝＋－＠'])/,
];

// Behind one of these, or in a line of its own, a spreadsheet with another separator than the comma begins a cell.
const evaluable = /[;|\t\r\n][\s"]*[=+\-@＝＋－＠]/;

// Characters that write-excel-file removes, and a carriage return, which XML readers change to a line feed.
const removed = String.raw`[\r\x7f-\x9f\ufffd]|\p{Noncharacter_Code_Point}`;
const escapable = new RegExp(String.raw`_(?=x[\da-f]{4}(?:_|${removed}))|${removed}`, 'giu');
const codeOf = (unit: string) =>
  `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
/** ECMA-376, ST_Xstring. The space, which the import removes, prevents a broken file for a text such as "constructor". */
const escaped = (text: string): string =>
  (text in {} ? `${text} ` : text).replace(escapable, found =>
    found.split('').map(codeOf).join(''),
  );

/** Ten texts, and how many more there are. */
export const firstOf = (texts: readonly unknown[], separator = '\n'): string => {
  const more = texts.length - 10;
  const rest = more > 0 ? `${separator === '\n' ? '\n…' : ''} and ${more} more` : '';
  return `${texts.slice(0, 10).join(separator)}${rest}`;
};

/** @throws {Error} that says that another program has the file: Windows then locks it */
export const unlocked = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (!/^(EPERM|EBUSY)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    const text = `${file} may be open in another program, such as Excel. Close it there, and run the command again.`;
    throw new Error(text, { cause: error });
  }
};

/** Whether a file of this name can be written. */
export const isSheet = (file: string): boolean => /\.(csv|xlsx)$/i.test(file);

/**
 * Replaces an existing file by the whole new one. If the process is killed, the old one stays. Prints a warning about texts of
 * CSV that a spreadsheet with another separator would evaluate. @param sheet its name in .xlsx
 */
export const writeSheet = async (
  file: string,
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  sheet = 'Pets',
): Promise<void> => {
  // A link stays one.
  const path = existsSync(file) ? realpathSync(file) : file;
  const write = (content: string | Uint8Array) => unlocked(file, () => replaceFile(path, content));
  if (!isXlsx(file)) {
    const risky = rows.flatMap((row, index) =>
      columns.some(name => evaluable.test(`${row[name] ?? ''}`)) ? index + 2 : [],
    );
    if (risky.length > 0)
      note(
        `Warning: with another separator than the comma, a spreadsheet evaluates texts in the rows ${firstOf(risky, ', ')}. For spreadsheets, write .xlsx.`,
      );
    const cast = { string: (text: string) => (guarded.test(text) ? `'${text}` : text) };
    // A byte order mark makes Excel read UTF-8. The import skips the mark.
    const options = { header: true, columns: [...columns], bom: true, cast, quoted_match: /\r|^'/ };
    return write(stringify([...rows], options));
  }
  const { default: writeXlsx } = await import('write-excel-file/node');
  // The format @ is "Text", so that a text that somebody enters also stays as it is.
  const cellOf = (value: unknown) =>
    typeof value === 'number'
      ? { value }
      : { value: escaped(String(value ?? '')), type: String, format: '@' };
  const header = columns.map(value => ({ value, fontWeight: 'bold' as const }));
  const widthOf = (column: string) =>
    rows.reduce((most, row) => Math.max(most, String(row[column] ?? '').length), column.length);
  const widths = columns.map(column => ({ width: Math.min(widthOf(column), 60) + 2 }));
  const cells = rows.map(row => columns.map(column => cellOf(row[column])));
  const options = { sheet, stickyRowsCount: 1, columns: widths };
  write(await writeXlsx([header, ...cells], options).toBuffer());
};

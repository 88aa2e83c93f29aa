import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { type CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { note } from '../../command.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { firstOf, type Line, readWorkbook, type SheetOptions } from './workbook.ts';

// The cells of .xlsx have types. In CSV, a spreadsheet reads "007" as 7 and "1/2" as a date.

export const isXlsx = (file: string): boolean => /\.xlsx$/i.test(file);

// The export writes an apostrophe before a CSV cell that can be evaluated as a formula (OWASP, "CSV Injection"), and before an
// apostrophe, so that the import can remove it. Both look behind outer spaces, which the import also removes.
const [guarded, guard] = [
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

/** LibreOffice Calc does not read `_xHHHH_` as a character, and saves it as a text. */
export const unescaped = (text: string): string =>
  text.replace(/_x([\da-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

/** @throws {Error} that says that another program has the file: Windows then locks it */
const unlocked = <T>(file: string, work: () => T): T => {
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

/** Reads CSV (RFC 4180). */
const readCsv = (bytes: Buffer): Line[] => {
  // Excel writes UTF-8 only if the user chooses it. UTF-16 has bytes of 0.
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new Error(
      'The file is not UTF-8. Save it as .xlsx, or in Excel as "CSV UTF-8 (Comma delimited)".',
    );
  const text = new TextDecoder().decode(bytes).replace(/\r\n?/g, '\n');
  // The first line of a file for Excel can name its delimiter.
  const [, stated] = /^"?sep=(.)"?\n/i.exec(text) ?? [];
  const header = text.split('\n', 2)[stated ? 1 : 0]!;
  const count = (delimiter: string) => header.split(delimiter).length;
  // With decimal commas, spreadsheets delimit cells with semicolons or tabs. The header has the delimiter most often.
  const likely = [',', ';', '\t'].reduce((most, delimiter) =>
    count(delimiter) > count(most) ? delimiter : most,
  );
  // `lines` is the last line of a record. Messages name the first.
  const firstLine = (raw: string, lines: number) => lines - raw.trim().split('\n').length + 1;
  const options = {
    delimiter: stated ?? likely,
    raw: true,
    info: true,
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    from_line: stated ? 2 : 1,
  };
  const read = () => {
    try {
      return parse(text, options) as unknown as {
        info: { lines: number };
        raw: string;
        record: string[];
      }[];
    } catch (error) {
      const { code, raw, lines } = error as CsvError & { raw: string; lines: number };
      if (!code?.includes('QUOTE')) throw error;
      throw new Error(
        `line ${firstLine(raw, lines)}: a quotation mark is not closed, or a text follows it`,
      );
    }
  };
  return read().map(({ info, raw, record }) => ({
    line: firstLine(raw, info.lines),
    cells: record.map(cell => cell.replace(guard, '')),
  }));
};

/** The first line is the header. @throws {Error} when the file is of another kind, or the sheet is missing or ambiguous */
export const readSheet = async (file: string, options: SheetOptions = {}): Promise<Line[]> => {
  const { sheet } = options;
  if (sheet !== undefined && !isXlsx(file))
    throw new Error(`${file} has no sheets. --sheet ${sheet} is for .xlsx files.`);
  const bytes = unlocked(file, () => readFileSync(file));
  const lines = isXlsx(file) ? await readWorkbook(file, bytes, options) : readCsv(bytes);
  return lines.filter(({ cells }) => cells.some(cell => cell !== ''));
};

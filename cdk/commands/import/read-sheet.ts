import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { type CsvError, parse } from 'csv-parse/sync';
import { guard, isXlsx, unlocked } from '../shared/sheet.ts';
import { type Line, readWorkbook, type SheetOptions } from './workbook.ts';

/** LibreOffice Calc does not read `_xHHHH_` as a character, and saves it as a text. */
export const unescaped = (text: string): string =>
  text.replace(/_x([\da-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

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

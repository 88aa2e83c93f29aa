import { CsvError, parse } from 'csv-parse/sync';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';

/** A pet as the file states it, not validated. */
export interface Row {
  /** `line 3`, or `item 3` of a JSON array. */
  readonly where: string;
  /** Undefined: the line is not JSON. */
  readonly value: unknown;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Error('The file is not UTF-8. Save it as UTF-8; in Excel choose "CSV UTF-8 (Comma delimited)".');
  }
};

const jsonLines = (text: string): Row[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [{ where: `line ${index + 1}`, value: jsonOrUndefined(line) }],
    );

const jsonArray = (text: string): Row[] => {
  try {
    return (JSON.parse(text) as unknown[]).map((value, index) => ({ where: `item ${index + 1}`, value }));
  } catch (error) {
    throw new Error(`The JSON array cannot be parsed: ${(error as Error).message}`);
  }
};

/** An empty cell is an absent field; digits are a number. The schema rejects other text as a number. */
const rowOf = (cells: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(cells).flatMap(([column, cell]) =>
      cell === '' ? [] : [[column, column === 'quantity' && /^\d+$/.test(cell) ? Number(cell) : cell]],
    ),
  );

/** Spreadsheets write a semicolon or a tab where a comma is the decimal separator. */
const delimiterIn = (header: string): string => [',', ';', '\t'].find(delimiter => header.includes(delimiter)) ?? ',';

/** A record of csv-parse with its option `info`. */
interface Parsed {
  readonly info: { readonly lines: number };
  readonly record: Readonly<Record<string, string>>;
}

/** CSV (RFC 4180) with a header row, in any order and case. */
const csv = (text: string, allowed: readonly string[], required: readonly string[]): Row[] => {
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1);
  const columns = (header: string[]) => {
    // Spreadsheets write empty columns at the end. A cell in such a column is an unknown field, unless it is empty.
    const named = header.map(name => name.trim().toLowerCase());
    const names = named.filter(name => name !== '');
    if (!required.some(name => names.includes(name)))
      throw new Error(
        `The file is neither CSV with a header row (${allowed.join(',')}) nor JSON Lines nor a JSON array. It starts with: ${first.slice(0, 80).trim()}`,
      );
    const problems = [
      ...required.filter(name => !names.includes(name)).map(name => `the column "${name}" is missing`),
      ...names.filter(name => !allowed.includes(name)).map(name => `unknown column "${name}"`),
      ...names.filter((name, index) => names.indexOf(name) !== index).map(name => `two columns "${name}"`),
    ];
    if (problems.length > 0)
      throw new Error(`The header row: ${problems.join('; ')}. Known columns: ${allowed.join(', ')}.`);
    return named.map((name, index) => name || `column ${index + 1} (no name)`);
  };
  const delimiter = delimiterIn(first);
  // Without `record_delimiter`, the first line decides for all.
  const options = { columns, delimiter, record_delimiter: ['\r\n', '\n', '\r'], info: true, trim: true };
  const skipped = { skip_empty_lines: true, skip_records_with_empty_values: true } as const;
  const read = () => {
    try {
      return parse(text, { ...options, ...skipped }) as unknown as Parsed[];
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      throw new Error(`The CSV cannot be parsed: ${error.message}`);
    }
  };
  return read().map(({ info, record }) => ({ where: `line ${info.lines}`, value: rowOf(record) }));
};

/**
 * Reads JSON Lines, a JSON array, or CSV. The first character shows which.
 * @param allowed the columns of CSV
 * @throws {Error} that names the problem when the file has none of these formats, or no pets
 */
export const readRows = (bytes: Uint8Array, allowed: readonly string[], required: readonly string[]): Row[] => {
  const text = textOf(bytes);
  const [first] = text.trimStart();
  if (first === undefined) throw new Error('The file is empty.');
  const rows = first === '{' ? jsonLines(text) : first === '[' ? jsonArray(text) : csv(text, allowed, required);
  if (rows.length === 0) throw new Error('The file has no pets.');
  return rows;
};

import { strFromU8, unzipSync } from 'fflate';
import { note } from '../../command.ts';
import { firstOf } from '../shared/sheet.ts';

// read-excel-file reads the values. It says neither which sheets are hidden, nor which empty cells have an error or a formula.

/** A line that is not empty. An empty cell is an empty text. */
export type Line = { readonly line: number; readonly cells: readonly string[] };

/** `sheet`: of a workbook, instead of the first visible one. `isHeader`: whether the sheet of this first line could be meant. */
export interface SheetOptions {
  readonly sheet?: string | undefined;
  readonly isHeader?: (cells: readonly string[]) => boolean;
}

const decode = (xml = ''): string => {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  const codeOf = (code: string) =>
    String.fromCodePoint(Number(code.replace(/^#x/i, '0x').replace('#', '')));
  return xml.replace(/&(#?\w+);/g, (_, code) => named[code] ?? codeOf(code));
};

/** Each element with this name and any prefix. */
const elementsIn = (xml: string, name: string) => {
  const elements = new RegExp(
    `<(?:\\w+:)?${name}(\\s[^>]*?)?(?:/>|>(.*?)</(?:\\w+:)?${name}>)`,
    'gs',
  );
  return [...xml.matchAll(elements)].map(([, text = '', content]) => {
    const pairs = [...text.matchAll(/[\s:](\w+)\s*=\s*(["'])(.*?)\2/gs)];
    return {
      attributes: Object.fromEntries(pairs.map(([, key, , value]) => [key, decode(value)])),
      content,
    };
  });
};

/** The sheets that have cells (ECMA-376-1, 18.2.19). */
const readParts = async (bytes: Uint8Array) => {
  const parts = unzipSync(bytes, { filter: ({ name }) => /^xl\/.*\.(xml|rels)$/.test(name) });
  const textOf = (path: string) => strFromU8(parts[path] ?? new Uint8Array());
  const relations = elementsIn(textOf('xl/_rels/workbook.xml.rels'), 'Relationship');
  const workbook = textOf('xl/workbook.xml');
  const sheets = elementsIn(workbook, 'sheet').flatMap(
    ({ attributes: { name = '', state, id } }) => {
      const { Type = '', Target = '' } =
        relations.find(({ attributes }) => attributes.Id === id)?.attributes ?? {};
      const isVisible = state === undefined || state === 'visible';
      const xml = () => textOf(Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
      return Type.endsWith('/worksheet') ? { name, isVisible, xml } : [];
    },
  );
  // Programs that compute nothing store this, and no value or 0 for each formula.
  const isStale = /^(1|true)$/.test(
    elementsIn(workbook, 'calcPr')[0]?.attributes.fullCalcOnLoad ?? '',
  );
  return { sheets, isStale };
};

/** Why the cell has no value for the import, if so. The result of a formula can be an empty text. */
const problemOf = (
  type: string | undefined,
  content: string,
  isStale: boolean,
): string | undefined => {
  const [[formula], [value]] = [elementsIn(content, 'f'), elementsIn(content, 'v')];
  if (type === 'e')
    return `shows ${decode(value?.content)}. Correct its formula, or enter a value.`;
  const isComputed = value && (value.content || type === 'str') && !isStale;
  if (formula && !isComputed)
    return `has a formula without a value: =${decode(formula.content)}. Save the file in a spreadsheet, or enter a value.`;
  const logical = value?.content === '1' ? 'TRUE' : 'FALSE';
  return type === 'b'
    ? `is the logical value ${logical}. Format the cell as text, and enter it again.`
    : undefined;
};

/** 0 is A, 26 is AA. */
const columnName = (index: number): string =>
  (index < 26 ? '' : columnName(Math.floor(index / 26) - 1)) +
  String.fromCharCode(65 + (index % 26));

const listed = (sheets: readonly { name: string; isVisible: boolean }[]) =>
  sheets.map(({ name, isVisible }) => `"${name}"${isVisible ? '' : ' (hidden)'}`).join(', ');

/** Reads a worksheet of an .xlsx file, and prints its name. @throws {Error} about the file, its sheets or at most ten cells */
export const readWorkbook = async (
  file: string,
  bytes: Buffer,
  { sheet, isHeader = () => false }: SheetOptions,
): Promise<Line[]> => {
  const { default: readXlsxFile } = await import('read-excel-file/node');
  const unreadable = (): never => {
    throw new Error(
      `${file} is not a readable .xlsx file. Save it again as .xlsx, or as CSV in UTF-8.`,
    );
  };
  const { sheets, isStale } = await readParts(bytes).catch(unreadable);
  const visible = sheets.filter(({ isVisible }) => isVisible);
  const chosen = sheet === undefined ? visible[0] : sheets.find(({ name }) => name === sheet);
  if (!chosen)
    throw new Error(
      `${file} has no ${sheet === undefined ? 'visible sheet' : `sheet "${sheet}"`}: ${listed(sheets)}`,
    );
  const others = sheets.filter(one => one !== chosen);
  const more =
    others.length > 0 ? `. Not read: ${listed(others)}. To read another: --sheet NAME` : '';
  const printSheet = () => note(`Sheet "${chosen.name}"${more}`);
  const xml = chosen.xml();
  const problems = elementsIn(xml, 'c').flatMap(({ attributes: { r, t }, content = '' }) => {
    const problem = problemOf(t, content, isStale);
    return problem ? `${r ?? 'A cell'} ${problem}` : [];
  });
  const stopAtProblems = () => {
    if (problems.length > 0) throw new Error(firstOf(problems));
  };
  if (problems.length > 0) printSheet();
  stopAtProblems();
  const read = await readXlsxFile(bytes).catch(unreadable);
  const data = new Map(read.map(({ sheet: name, data }) => [name, data]));
  const isRival = ({ name }: { name: string }) => {
    const first = data.get(name)?.find(cells => cells.some(cell => cell !== null));
    return isHeader(first?.map(String) ?? []);
  };
  const rivals = sheet === undefined ? visible.filter(isRival) : [];
  if (rivals.length > 1)
    throw new Error(
      `The sheets ${listed(rivals)} all have columns of pets. Choose one: --sheet NAME`,
    );
  printSheet();
  const hidden = elementsIn(xml, 'row').filter(
    ({ attributes, content }) => content && /^(1|true)$/.test(attributes.hidden ?? ''),
  );
  if (hidden.length > 0) note(`Hidden rows are imported, too: ${hidden.length}`);

  const lines = (data.get(chosen.name) ?? []).map((row, index) => {
    const cells = row.map((value: unknown, column) => {
      const isLong = typeof value === 'number' && value >= 1e15;
      const what =
        value instanceof Date
          ? `is the date ${value.toISOString()}`
          : `has more than 15 digits: ${value}`;
      if (isLong || value instanceof Date)
        problems.push(
          `${columnName(column)}${index + 1} ${what}. Format the cell as text, and enter it again.`,
        );
      return String(value ?? '');
    });
    return { line: index + 1, cells };
  });
  stopAtProblems();
  return lines;
};

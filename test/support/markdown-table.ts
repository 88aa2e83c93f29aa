import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** @param align `---` for each column, or `---:` to align it on the right */
export const markdownTable = (
  head: readonly string[],
  align: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), `|${align.join('|')}|`, ...rows.map(row)].join('\n');
};

/**
 * Each table is between `<!-- name: npm run generate -->` (which may have more text at its end) and `<!-- /name -->`. `npm run
 * generate` writes the tables.
 */
export const expectTables = async (
  file: string,
  tables: Readonly<Record<string, string>>,
): Promise<void> => {
  const path = join(import.meta.dirname, '../..', file);
  let text = readFileSync(path, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const [begin, end] = [`<!-- ${name}: npm run generate`, `<!-- /${name} -->`];
    const block = new RegExp(`(?<=${begin}[^\n]* -->).*?(?=${end})`, 's');
    expect(text, `${file} has no comments ${begin} --> … ${end}`).toMatch(block);
    text = text.replace(block, () => `\n${table}\n`);
  }
  await expect(text, `${file} is stale: npm run generate`).toMatchFileSnapshot(path);
};

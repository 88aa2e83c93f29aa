/** A table's place in a text is between two comments that name it: `<!-- commands: npm run docs -->` and `<!-- /commands -->`. */
const marks = (name: string) => [`<!-- ${name}: npm run docs -->`, `<!-- /${name} -->`] as const;

/** The text with this table in its place. @throws when the text has no place for it */
export const withTable = (text: string, name: string, table: string): string => {
  const [begin, end] = marks(name);
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`There is no place for the table "${name}": ${begin} … ${end}`);
  return [before, begin, '\n', table, '\n', end, after].join('');
};

/** A Markdown table. @param align `---`, or `---:` for a column that is set to the right */
export const markdownTable = (
  head: readonly string[],
  align: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), `|${align.join('|')}|`, ...rows.map(row)].join('\n');
};

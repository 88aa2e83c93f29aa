/** A generated table is between two comments with its name: `<!-- commands: npm run docs -->` and `<!-- /commands -->`. */
const marks = (name: string) => [`<!-- ${name}: npm run docs -->`, `<!-- /${name} -->`] as const;

/** Replaces a generated table in a text. @throws when the text does not have its comments */
export const withTable = (text: string, name: string, table: string): string => {
  const [begin, end] = marks(name);
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`The text has no comments for the table "${name}": ${begin} … ${end}`);
  return [before, begin, '\n', table, '\n', end, after].join('');
};

/** A Markdown table. @param align `---`, or `---:` for right-aligned columns */
export const markdownTable = (
  head: readonly string[],
  align: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), `|${align.join('|')}|`, ...rows.map(row)].join('\n');
};

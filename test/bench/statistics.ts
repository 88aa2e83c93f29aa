export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** A text table with aligned columns. Numbers that are not integers are rounded. */
export const table = (header: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const text = (cell: string | number) =>
    typeof cell === 'number' && !Number.isInteger(cell) ? cell.toFixed(cell < 10 ? 2 : 1) : String(cell);
  const lines = [header, ...rows.map(row => row.map(text))];
  const widths = header.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  return lines
    .map(line =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  '),
    )
    .join('\n');
};

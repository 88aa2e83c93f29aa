/**
 * The part of CloudWatch Logs Insights that the saved queries use: filter, fields, stats, sort, limit. Other commands throw,
 * and so does a field that no line has.
 */

type Row = Readonly<Record<string, unknown>>;
/** Reads a field of a line or of the result of an earlier command. */
type ReadField = (name: string) => unknown;

/** The fields of a JSON line by their dotted names, items of arrays by their index. */
const flattened = (value: unknown, name = ''): [string, unknown][] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, item]) => flattened(item, name ? `${name}.${key}` : key))
    : [[name, value]];

const rowOf = (line: string): Row => ({
  ...Object.fromEntries(flattened(JSON.parse(line))),
  '@message': line,
  '@timestamp': JSON.parse(line).timestamp,
  '@log': 'group',
});

const field = '@?\\w+(?:\\.\\w+)*';
const comparisons: Readonly<Record<string, (a: never, b: never) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>=': (a, b) => a >= b,
};

type Condition = (read: ReadField) => boolean;

const atoms: readonly [pattern: RegExp, toCondition: (match: string[]) => Condition][] = [
  [
    new RegExp(`^ispresent\\((${field})\\)`),
    ([, name]) =>
      read =>
        read(name!) !== undefined,
  ],
  [
    new RegExp(`^(${field}) like /(.*?)/`),
    ([, name, pattern]) =>
      read =>
        new RegExp(pattern!).test(String(read(name!))),
  ],
  [
    new RegExp(`^(${field}) (=|!=|>=) (\\d+|"[^"]*")`),
    ([, name, operator, literal]) =>
      read =>
        comparisons[operator!]!(read(name!) as never, JSON.parse(literal!) as never),
  ],
];

/** Both sides read their fields, so that a field that no line has is found in either. @throws for an unsupported condition */
const condition = (text: string): Condition => {
  let rest = text;
  const accept = (token: string) => {
    const found = rest.startsWith(token);
    if (found) rest = rest.slice(token.length);
    return found;
  };
  const single = (): Condition => {
    if (accept('not ')) {
      const inner = single();
      return read => !inner(read);
    }
    if (accept('(')) {
      const inner = either();
      if (!accept(')')) throw new Error(`No closing parenthesis: ${text}`);
      return inner;
    }
    for (const [pattern, toCondition] of atoms) {
      const match = pattern.exec(rest);
      if (match && accept(match[0])) return toCondition(match);
    }
    throw new Error(`No such condition: ${rest}`);
  };
  const both = (): Condition => {
    const parts = [single()];
    while (accept(' and ')) parts.push(single());
    return read => parts.map(part => part(read)).every(Boolean);
  };
  const either = (): Condition => {
    const parts = [both()];
    while (accept(' or ')) parts.push(both());
    return read => parts.map(part => part(read)).some(Boolean);
  };
  const whole = either();
  if (rest !== '') throw new Error(`No such condition: ${rest}`);
  return whole;
};

const numbers = (values: readonly unknown[]) => values.filter(value => value !== undefined).map(Number);
const aggregates: Readonly<Record<string, (values: readonly unknown[]) => unknown>> = {
  sum: values => numbers(values).reduce((total, value) => total + value, 0),
  avg: values => numbers(values).reduce((total, value) => total + value, 0) / numbers(values).length,
  min: values => values.toSorted()[0],
  max: values => values.toSorted().at(-1),
  pct: values => Math.max(...numbers(values)),
  latest: values => values.at(-1),
};

const aggregate = new RegExp(`^(\\w+)\\((\\*|${field})(?:, \\d+)?\\) as (\\w+)$`);

const statistic = (text: string): [name: string, of: (rows: readonly ReadField[]) => unknown] => {
  const [, kind, argument, name] = aggregate.exec(text) ?? [];
  if (kind === 'count' && argument === '*') return [name!, rows => rows.length];
  const compute = aggregates[kind ?? ''];
  if (!compute) throw new Error(`No such statistic: ${text}`);
  return [name!, rows => compute(rows.map(read => read(argument!)))];
};

const list = (text: string) => text.split(/, (?!\d+\))/);

const commands: Readonly<Record<string, (rows: Row[], text: string, reader: (row: Row) => ReadField) => Row[]>> = {
  filter: (rows, text, reader) => {
    const holds = condition(text);
    return rows.filter(row => holds(reader(row)));
  },
  fields: (rows, text, reader) => {
    for (const row of rows.slice(0, 1)) list(text).map(reader(row));
    return rows;
  },
  stats: (rows, text, reader) => {
    const [computed = '', by = ''] = text.split(' by ');
    const groups = Map.groupBy(rows, row => JSON.stringify(list(by).map(name => reader(row)(name) ?? null)));
    return [...groups.values()].map(group => ({
      ...Object.fromEntries(list(by).map(name => [name, reader(group[0]!)(name)])),
      ...Object.fromEntries(
        list(computed)
          .map(statistic)
          .map(([name, of]) => [name, of(group.map(reader))]),
      ),
    }));
  },
  sort: (rows, text, reader) => {
    const [name = ''] = text.split(' desc');
    return rows.toSorted((a, b) => Number(reader(b)(name)) - Number(reader(a)(name)));
  },
  limit: (rows, text) => rows.slice(0, Number(text)),
};

/** Runs a query. @throws for an unsupported command, and for a field that no line has */
export const runQuery = (query: readonly string[], lines: readonly string[]): Row[] => {
  let rows = lines.map(rowOf);
  for (const command of query) {
    const known = new Set(rows.flatMap(row => Object.keys(row)));
    const all = new Set([...known, ...lines.map(rowOf).flatMap(row => Object.keys(row))]);
    const reader =
      (row: Row): ReadField =>
      name => {
        if (!all.has(name)) throw new Error(`No line has the field ${name}: ${command}`);
        return row[name];
      };
    const [, verb = '', text = ''] = /^(\w+) (.*)$/s.exec(command) ?? [];
    const run = commands[verb];
    if (!run) throw new Error(`No such command: ${command}`);
    rows = run(rows, text, reader);
  }
  return rows;
};

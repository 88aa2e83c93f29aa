// CloudWatch evaluates these expressions. An expression with syntax that is not known here throws.

/** The value at a path such as `message.error.0.name`. */
const valueAt = (line: string, path: string): unknown =>
  path === '@message'
    ? line
    : path
        .split('.')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], JSON.parse(line));

/** Replaces the text, token by token, by an expression of JavaScript that calls `at`. */
const compile = (text: string, tokens: RegExp, toJs: (groups: Record<string, string>) => string) => {
  let [js, end] = ['', 0];
  for (const {
    0: { length },
    index,
    groups,
  } of text.matchAll(tokens)) {
    if (text.slice(end, index).trim()) break;
    js += toJs(groups!);
    end = index + length;
  }
  if (text.slice(end).trim()) throw new Error(`CloudWatch: unknown syntax from "${text.slice(end)}" on`);
  const evaluate = new Function('at', `return Boolean(${js})`);
  return (line: string): boolean => evaluate((path: string) => valueAt(line, path));
};

/**
 * Whether a line matches the JSON pattern of a metric filter. A number matches only a number, and a text with quotes only a text
 * (CloudWatch Logs user guide, "Filter pattern syntax for metric filters").
 */
export const matchesPattern = (pattern: string) =>
  compile(
    /^\{(.*)\}$/.exec(pattern)?.[1] ?? pattern,
    /\$\.(?<path>[\w.]+) (?:(?<is>IS TRUE)|(?<operator>>=|>|=) (?<value>"[^"]*"|\d+))|(?<logic>\|\||&&|[()])/g,
    ({ path, is, operator, value = '', logic }) => {
      if (logic) return logic;
      if (is) return `(at('${path}') === true)`;
      const type = value.startsWith('"') ? 'string' : 'number';
      return `(typeof at('${path}') === '${type}' && at('${path}') ${operator!.replace(/^=$/, '===')} ${value})`;
    },
  );

/** Whether a line matches the `filter` of a Logs Insights query (CloudWatch Logs user guide, "filter"). Fields are untyped. */
export const matchesFilter = (query: string) =>
  compile(
    /^filter (.*)$/m.exec(query)![1]!,
    /ispresent\((?<present>[\w.]+)\)|(?<path>[@\w.]+) (?:like (?<like>\/[^/]+\/)|(?<operator>>=|!=|=|<) (?<value>"[^"]*"|\d+))|(?<logic>and|or|not|[()])/g,
    ({ present, path, like, operator, value, logic }) => {
      if (present) return `(at('${present}') !== undefined)`;
      if (like) return `${like}.test(at('${path}'))`;
      if (operator) return `(at('${path}') ${operator.replace(/^=$/, '==')} ${value})`;
      return { and: '&&', or: '||', not: '!' }[logic!] ?? logic!;
    },
  );

/** The part of DynamoDB's expression language that the model uses. Other syntax throws. */

// biome-ignore lint/suspicious/noExplicitAny: any attribute value, as plain JavaScript
export type Item = Record<string, any>;

/** The values of the `#names` and `:values` of an expression. */
export interface Bound {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Item>;
}

type Value = (item: Item, bound: Bound) => unknown;
type Test = (item: Item, bound: Bound) => boolean;

export interface Condition {
  /** Its comparisons and functions, as written. */
  readonly clauses: readonly string[];
  readonly placeholders: ReadonlySet<string>;
  readonly holds: (item: Item | undefined, bound: Bound) => boolean;
}

/** A clause by its number, and the constant result that replaces it: the condition with one part removed. */
export interface Forced {
  readonly clause: number;
  readonly result: boolean;
}

export const tokensOf = (text: string): string[] => {
  const tokens = text.match(/<>|<=|>=|[=<>(),]|[#:]?\w+|\S/g) ?? [];
  const unknown = tokens.find(token => !/^(<>|<=|>=|[=<>(),]|[#:]?\w+)$/.test(token));
  if (unknown) throw new Error(`unknown token ${unknown} in ${text}`);
  return tokens;
};

/** Values of the same type are comparable. In DynamoDB values of different types, and absent ones, are never equal. */
const comparable = (a: unknown, b: unknown) => a !== undefined && typeof a === typeof b;

const comparators: Record<string, (a: never, b: never) => boolean> = {
  '=': (a, b) => comparable(a, b) && a === b,
  '<>': (a, b) => !comparable(a, b) || a !== b,
  '<': (a, b) => comparable(a, b) && a < b,
  '<=': (a, b) => comparable(a, b) && a <= b,
  '>': (a, b) => comparable(a, b) && a > b,
  '>=': (a, b) => comparable(a, b) && a >= b,
};

/** Parses a condition: comparisons, BETWEEN, `attribute_exists`, `attribute_not_exists`, AND, OR, NOT and parentheses. */
export const parseCondition = (text: string, forced?: Forced): Condition => {
  const tokens = tokensOf(text);
  const placeholders = new Set<string>();
  const clauses: string[] = [];
  let at = 0;

  const take = (expected?: string): string => {
    const token = tokens[at++];
    if (token === undefined || (expected !== undefined && token !== expected)) {
      throw new Error(`${expected ?? 'more'} expected at word ${at} of ${text}`);
    }
    return token;
  };
  const operand = (): Value => {
    const token = take();
    placeholders.add(token);
    if (token.startsWith('#')) return (item, { names }) => item[names[token]!];
    if (token.startsWith(':')) return (_, { values }) => values[token];
    throw new Error(`${token} should be a #name or a :value in ${text}`);
  };
  const clause = (from: number, test: Test): Test => {
    const number = clauses.push(tokens.slice(from, at).join(' ')) - 1;
    return forced?.clause === number ? () => forced.result : test;
  };
  const term = (): Test => {
    const from = at;
    const next = tokens[at];
    if (next === 'NOT') {
      take();
      const inner = term();
      return (item, bound) => !inner(item, bound);
    }
    if (next === '(') {
      take();
      const inner = anyOf();
      take(')');
      return inner;
    }
    if (next === 'attribute_exists' || next === 'attribute_not_exists') {
      take();
      take('(');
      const value = operand();
      take(')');
      return clause(from, (item, bound) => (value(item, bound) !== undefined) === (next === 'attribute_exists'));
    }
    const left = operand();
    if (tokens[at] === 'BETWEEN') {
      take();
      const first = operand();
      take('AND');
      const last = operand();
      const { '>=': isAtLeast, '<=': isAtMost } = comparators as Record<string, (a: unknown, b: unknown) => boolean>;
      return clause(from, (item, bound) => {
        const value = left(item, bound);
        return isAtLeast!(value, first(item, bound)) && isAtMost!(value, last(item, bound));
      });
    }
    const compare = comparators[take()];
    if (!compare) throw new Error(`a comparison expected in ${text}`);
    const right = operand();
    return clause(from, (item, bound) => compare(left(item, bound) as never, right(item, bound) as never));
  };
  const chain = (word: string, part: () => Test, join: (tests: Test[]) => Test) => (): Test => {
    const tests = [part()];
    while (tokens[at] === word) {
      take();
      tests.push(part());
    }
    return join(tests);
  };
  const allOf = chain('AND', term, tests => (item, bound) => tests.every(test => test(item, bound)));
  const anyOf: () => Test = chain('OR', allOf, tests => (item, bound) => tests.some(test => test(item, bound)));

  const whole = anyOf();
  if (at < tokens.length) throw new Error(`${tokens[at]} was not expected in ${text}`);
  return { clauses, placeholders, holds: (item, bound) => whole(item ?? {}, bound) };
};

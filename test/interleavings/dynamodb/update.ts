import { invalid } from './errors.ts';
import { type Bound, type Item, tokensOf } from './expression.ts';

interface Change {
  readonly verb: 'SET' | 'REMOVE' | 'ADD';
  readonly name: string;
  readonly value?: string;
}

export interface Update {
  readonly changes: readonly Change[];
  readonly placeholders: ReadonlySet<string>;
}

/** Parses `SET #a = :a, … REMOVE #b, … ADD #c :c, …`. */
export const parseUpdate = (text: string): Update => {
  const tokens = tokensOf(text);
  const changes: Change[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    const token = tokens[at++] ?? '';
    if (!pattern.test(token)) throw new Error(`${token} was not expected in ${text}`);
    return token;
  };
  while (at < tokens.length) {
    const verb = take(/^(SET|REMOVE|ADD)$/) as Change['verb'];
    if (changes.some(change => change.verb === verb)) throw invalid(`${verb} occurs twice in ${text}`);
    do {
      if (tokens[at] === ',') at++;
      const name = take(/^#/);
      if (verb === 'SET') take(/^=$/);
      changes.push(verb === 'REMOVE' ? { verb, name } : { verb, name, value: take(/^:/) });
    } while (tokens[at] === ',');
  }
  const placeholders = new Set(changes.flatMap(({ name, value }) => (value === undefined ? [name] : [name, value])));
  return { changes, placeholders };
};

/** The item after an update. @throws ValidationException as DynamoDB does */
export const applyUpdate = ({ changes }: Update, item: Item, { names, values }: Bound): Item => {
  const touched = changes.map(({ name }) => names[name]!);
  if (new Set(touched).size < touched.length) throw invalid('Two document paths overlap with each other');
  const after = { ...item };
  for (const [index, { verb, value }] of changes.entries()) {
    const attribute = touched[index]!;
    if (attribute === 'pk' || attribute === 'sk')
      throw invalid(`Cannot update attribute ${attribute}: part of the key`);
    if (verb === 'REMOVE') delete after[attribute];
    if (verb === 'SET') after[attribute] = values[value!];
    if (verb === 'ADD') {
      const before = after[attribute] ?? 0;
      if (typeof before !== 'number' || typeof values[value!] !== 'number') throw invalid('ADD takes numbers');
      after[attribute] = before + values[value!];
    }
  }
  return after;
};

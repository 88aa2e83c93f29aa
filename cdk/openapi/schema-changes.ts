import type { Resolve } from './document-types.ts';
import type { Schema } from './to-schema.ts';

export interface Sides {
  readonly before: Resolve;
  readonly after: Resolve;
}

/** Whether callers send it or receive it: they miss other things of what they send. */
export type Direction = 'taken' | 'answered';

const lowered = (before: number | undefined, after: number | undefined) =>
  after !== undefined && (before === undefined || after < before);
const raised = (before: number | undefined, after: number | undefined) =>
  after !== undefined && (before === undefined || after > before);

const upperBounds = ['maximum', 'maxLength', 'maxItems'];
const lowerBounds = ['minimum', 'minLength', 'minItems'];

const without = (values: unknown[] = [], others: unknown[] = []) => values.filter(value => !others.includes(value));

/** What callers receive and their code does not know: a switch over a closed enumeration has no case for a new value. */
const answeredChanges = (where: string, before: Schema, after: Schema): string[] => [
  ...without(before.required, after.required).map(name => `${where}.${name}: no longer always there`),
  ...(before.enum && !after.enum ? [`${where}: no longer one of ${before.enum}`] : []),
  ...(before.enum ? without(after.enum, before.enum).map(value => `${where}: ${value} is new to callers`) : []),
  ...without(before['x-extensible-enum'], after['x-extensible-enum']).map(
    value => `${where}: ${value} is no longer among the known values`,
  ),
  ...(after.nullable && !before.nullable ? [`${where}: null is new to callers`] : []),
];

/** What callers send and is refused from now on. */
const takenChanges = (where: string, before: Schema, after: Schema): string[] => [
  ...without(after.required, before.required).map(name => `${where}.${name}: now required`),
  ...(after.enum ? without(before.enum, after.enum).map(value => `${where}: ${value} is no longer taken`) : []),
  ...(after.enum && !before.enum ? [`${where}: now takes ${after.enum} alone`] : []),
  ...(after.pattern && after.pattern !== before.pattern ? [`${where}: another pattern`] : []),
  ...(before.nullable && !after.nullable ? [`${where}: null is no longer taken`] : []),
  ...upperBounds
    .filter(bound => lowered(before[bound], after[bound]))
    .map(bound => `${where}: ${bound} was lowered to ${after[bound]}`),
  ...lowerBounds
    .filter(bound => raised(before[bound], after[bound]))
    .map(bound => `${where}: ${bound} was raised to ${after[bound]}`),
];

/** What a schema no longer takes, or no longer promises, in sentences that begin with `where`. */
export const schemaChanges = (
  sides: Sides,
  direction: Direction,
  where: string,
  from: Schema,
  to: Schema,
): string[] => {
  const [before, after] = [sides.before(from), sides.after(to)];
  if (before.type !== after.type || before.format !== after.format)
    return [`${where}: type ${before.type} ${before.format ?? ''} became ${after.type} ${after.format ?? ''}`];
  const fields = Object.entries<Schema>(before.properties ?? {}).flatMap(([name, field]) => {
    const present = after.properties?.[name];
    return present
      ? schemaChanges(sides, direction, `${where}.${name}`, field, present)
      : [`${where}.${name}: removed`];
  });
  const items =
    before.items && after.items ? schemaChanges(sides, direction, `${where}[]`, before.items, after.items) : [];
  const own = direction === 'answered' ? answeredChanges : takenChanges;
  return [...fields, ...items, ...own(where, before, after)];
};

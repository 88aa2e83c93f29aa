import type { Resolve } from './document-types.ts';
import type { Schema } from './to-schema.ts';

export interface Sides {
  readonly before: Resolve;
  readonly after: Resolve;
}

/** Whether callers send or receive it. Different changes break a request and a response. */
type Direction = 'request' | 'response';

const lowered = (before: number | undefined, after: number | undefined) =>
  after !== undefined && (before === undefined || after < before);
const raised = (before: number | undefined, after: number | undefined) =>
  after !== undefined && (before === undefined || after > before);

const upperBounds = ['maximum', 'maxLength', 'maxItems'];
const lowerBounds = ['minimum', 'minLength', 'minItems'];

const without = (values: unknown[] = [], others: unknown[] = []) => values.filter(value => !others.includes(value));

/** Changes of a response that break callers. A new value of a closed enumeration does: callers have no case for it. */
const responseSchemaChanges = (where: string, before: Schema, after: Schema): string[] => [
  ...without(before.required, after.required).map(name => `${where}.${name}: no longer required`),
  ...(before.enum && !after.enum ? [`${where}: no longer one of ${before.enum}`] : []),
  ...(before.enum ? without(after.enum, before.enum).map(value => `${where}: ${value} is new to callers`) : []),
  ...without(before['x-extensible-enum'], after['x-extensible-enum']).map(
    value => `${where}: ${value} is no longer among the known values`,
  ),
  ...(after.nullable && !before.nullable ? [`${where}: null is new to callers`] : []),
];

/** Changes of a request that break callers: a value is no longer accepted. */
const requestSchemaChanges = (where: string, before: Schema, after: Schema): string[] => [
  ...without(after.required, before.required).map(name => `${where}.${name}: now required`),
  ...(after.enum ? without(before.enum, after.enum).map(value => `${where}: ${value} is no longer accepted`) : []),
  ...(after.enum && !before.enum ? [`${where}: now accepts only ${after.enum}`] : []),
  ...(after.pattern && after.pattern !== before.pattern ? [`${where}: another pattern`] : []),
  ...(before.nullable && !after.nullable ? [`${where}: null is no longer accepted`] : []),
  ...upperBounds
    .filter(bound => lowered(before[bound], after[bound]))
    .map(bound => `${where}: ${bound} was lowered to ${after[bound]}`),
  ...lowerBounds
    .filter(bound => raised(before[bound], after[bound]))
    .map(bound => `${where}: ${bound} was raised to ${after[bound]}`),
];

/** The breaking changes of a schema, as sentences that begin with `where`. */
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
    const current = after.properties?.[name];
    return current
      ? schemaChanges(sides, direction, `${where}.${name}`, field, current)
      : [`${where}.${name}: removed`];
  });
  const items =
    before.items && after.items ? schemaChanges(sides, direction, `${where}[]`, before.items, after.items) : [];
  const own = direction === 'response' ? responseSchemaChanges : requestSchemaChanges;
  return [...fields, ...items, ...own(where, before, after)];
};

import { type Document, type DocumentedOperation, resolverOf } from './document-types.ts';

type Resolve = ReturnType<typeof resolverOf>;
// biome-ignore lint/suspicious/noExplicitAny: any part of a document
type Part = any;

/** Whether a changed value breaks callers, who send it in requests (`isSent`) or receive it in responses or events. */
type Breaks = (before: Part, after: Part, isSent: boolean) => boolean;

const missing = (values: unknown, others: unknown): boolean =>
  [values ?? []].flat().some(value => ![others ?? []].flat().includes(value));

const differs: Breaks = (before, after) => JSON.stringify(before) !== JSON.stringify(after);

/** In a schema, `required` is a list of field names. In a parameter, it is true or false. */
const requires: Breaks = (before, after, isSent) => {
  if (Array.isArray(before ?? after))
    return isSent ? missing(after, before) : missing(before, after);
  return isSent && after === true && before !== true;
};
/** A new value of a closed enumeration breaks callers who receive this value, because they have no case for it. */
const lists: Breaks = (before, after, isSent) => {
  if (isSent) return after !== undefined && (before === undefined || missing(before, after));
  return before !== undefined && (after === undefined || missing(after, before));
};
const allowsNull: Breaks = (before, after, isSent) =>
  (isSent ? before && !after : after && !before) === true;
const matches: Breaks = (before, after, isSent) =>
  isSent && after !== undefined && before !== after;
const atMost: Breaks = (before, after, isSent) =>
  isSent && after !== undefined && !(before <= after);
const atLeast: Breaks = (before, after, isSent) =>
  isSent && after !== undefined && !(before >= after);

const keywords = new Map<string, Breaks>([
  ...['type', 'format', 'security', 'operationId'].map(name => [name, differs] as const),
  ...['codes', 'x-extensible-enum'].map(name => [name, missing] as const),
  ...['maximum', 'maxLength', 'maxItems'].map(name => [name, atMost] as const),
  ...['minimum', 'minLength', 'minItems'].map(name => [name, atLeast] as const),
  ['required', requires],
  ['enum', lists],
  ['nullable', allowsNull],
  ['pattern', matches],
]);

/** The keywords that callers do not depend on. */
const texts = [
  'summary',
  'description',
  'example',
  'tags',
  'deprecated',
  'x-sunset',
  'x-stability-level',
  'links',
];
/** The keys of these objects are names. */
const maps = ['parameters', 'responses', 'headers', 'content', 'properties', 'event'];

/** A part of the document with its `$ref` resolved, parameters by place and name, and error codes instead of examples. */
const named = (part: Part, resolve: Resolve): Part => {
  const { parameters, examples, ...rest } = resolve<Part>(part);
  if (parameters)
    rest.parameters = Object.fromEntries(
      parameters.map((each: Part) => [`${each.in} ${each.name}`, each]),
    );
  if (examples)
    rest.codes = Object.values<Part>(examples).map(example => resolve<Part>(example).value.code);
  return rest;
};

interface Sides {
  readonly before: Resolve;
  readonly after: Resolve;
  /** Callers send the part. */
  readonly isSent: boolean;
}

/** The breaking changes of a part, each with its path in the document. Additions are compatible. */
const changesOf = (sides: Sides, from: Part, to: Part, path: string): string[] => {
  const { isSent } = sides;
  const before = named(from, sides.before);
  const after = named(to, sides.after);
  const hasNames = maps.includes(path.split(' ').at(-1)!);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(key => {
    const where = `${path} ${key}`;
    const breaks = hasNames ? undefined : keywords.get(key);
    if (breaks?.(before[key], after[key], isSent))
      return [`${where}: ${JSON.stringify(before[key])} became ${JSON.stringify(after[key])}`];
    if (breaks || (!hasNames && texts.includes(key))) return [];
    if (!(key in after)) {
      // The API still reads a media type that the document no longer has (lib/http/read-body.ts).
      const others = isSent && path.endsWith(' requestBody content') ? Object.values(after) : [];
      const isReplaced = others.some(
        other => changesOf(sides, before[key], other, where).length === 0,
      );
      return isReplaced ? [] : [`${where}: removed`];
    }
    if (key in before)
      return typeof before[key] === 'object'
        ? changesOf(
            { ...sides, isSent: isSent && key !== 'responses' },
            before[key],
            after[key],
            where,
          )
        : [];
    const isRequired = sides.after<Part>(after[key])?.required === true;
    return isSent && isRequired ? [`${where}: now required`] : [];
  });
};

/** Experimental operations may have breaking changes. So may operations after their sunset. */
const mayBreak = (operation: DocumentedOperation, today: string): boolean => {
  const { 'x-sunset': sunset = today, 'x-stability-level': stability } = operation as Part;
  return stability === 'experimental' || sunset < today;
};

/**
 * The breaking changes since the released document: what was removed, renamed, restricted or has another type, including error
 * codes and events. An addition breaks callers only if requests need it, or if it is `null` or an `enum` value that they receive.
 * @param today YYYY-MM-DD: experimental operations, and those with a sunset before this day, may change
 */
export const breakingChanges = (released: Document, current: Document, today: string): string[] => {
  const sides = { before: resolverOf(released), after: resolverOf(current), isSent: true };
  const operations = Object.entries(released.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      if (mayBreak(before, today)) return [];
      const after = current.paths[path]?.[method];
      return after
        ? changesOf(sides, before, after, `${method} ${path}`)
        : [`${method} ${path}: removed`];
    }),
  );
  const events = changesOf(
    { ...sides, isSent: false },
    released['x-webhooks'] ?? {},
    current['x-webhooks'] ?? {},
    'event',
  );
  return [...operations, ...events];
};

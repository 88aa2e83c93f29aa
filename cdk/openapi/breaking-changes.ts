import { type Document, type DocumentedOperation, resolverOf } from './document-types.ts';

type Resolve = ReturnType<typeof resolverOf>;
// biome-ignore lint/suspicious/noExplicitAny: any part of a document
type Part = any;

type Narrows = (before: Part, after: Part) => boolean;
/** Whether a changed value breaks callers, who send it in requests (`isSent`) or receive it in responses or events. */
type Breaks = (before: Part, after: Part, isSent: boolean) => boolean;

/** Of a list, or of a flag, which is true or not. */
const missing = (values: unknown, others: unknown): boolean =>
  [values || []].flat().some(value => ![others || []].flat().includes(value));

const differs: Narrows = (before, after) => JSON.stringify(before) !== JSON.stringify(after);
/** A request must not exclude more than before, and a response not less: callers have no case for a new value. */
const narrowed =
  (narrows: Narrows): Breaks =>
  (before, after, isSent) =>
    isSent ? narrows(before, after) : narrows(after, before);
/** Without the keyword, everything is allowed. */
const inRequests =
  (narrows: Narrows): Breaks =>
  (before, after, isSent) =>
    isSent && after !== undefined && narrows(before, after);

/** The keywords by their kind. test/openapi/contract.test.ts has a verdict for each change of a kind. */
export const kinds = {
  fixed: [differs, ['type', 'format', 'default', 'style', 'explode', 'security', 'operationId']],
  openList: [missing, ['codes', 'x-extensible-enum']],
  closedList: [narrowed((before, after) => after && (!before || missing(before, after))), ['enum']],
  demand: [narrowed((before, after) => missing(after, before)), ['required', 'uniqueItems']],
  permission: [narrowed(missing), ['nullable']],
  upperBound: [
    inRequests((before, after) => !(before <= after)),
    ['maximum', 'maxLength', 'maxItems'],
  ],
  lowerBound: [
    inRequests((before, after) => !(before >= after)),
    ['minimum', 'minLength', 'minItems'],
  ],
  restriction: [inRequests(differs), ['pattern', 'multipleOf', 'additionalProperties']],
} as const satisfies Record<string, readonly [Breaks, readonly string[]]>;
const keywords = new Map<string, Breaks>(
  Object.values(kinds).flatMap(([breaks, names]) => names.map(name => [name, breaks] as const)),
);

/** Callers do not depend on them. */
const texts =
  'summary description example tags deprecated x-sunset x-stability-level x-ms-primary-error-message links';
/** The keys of these objects are names. */
const maps = ['parameters', 'responses', 'headers', 'content', 'properties'];
const parts = ['in', 'name', 'post', 'requestBody', 'schema', 'items', ...maps];

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
const changesOf = (
  sides: Sides,
  from: Part,
  to: Part,
  path: string,
  hasNames = false,
): string[] => {
  const { isSent } = sides;
  const before = named(from, sides.before);
  const after = named(to, sides.after);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(key => {
    const where = `${path} ${key}`;
    const breaks = hasNames ? undefined : keywords.get(key);
    if (breaks?.(before[key], after[key], isSent))
      return [`${where}: ${JSON.stringify(before[key])} became ${JSON.stringify(after[key])}`];
    if (breaks || (!hasNames && texts.split(' ').includes(key))) return [];
    if (!hasNames && !parts.includes(key))
      throw new Error(
        `Add the keyword of ${where} to its kind in cdk/openapi/breaking-changes.ts.`,
      );
    if (!(key in after)) {
      // The API still reads a media type that the document no longer has (lib/http/read-body.ts).
      const others = isSent && path.endsWith(' requestBody content') ? Object.values(after) : [];
      const isReplaced = others.some(
        other => changesOf(sides, before[key], other, where).length === 0,
      );
      return isReplaced ? [] : [`${where}: removed`];
    }
    if (key in before) {
      if (typeof before[key] !== 'object') return [];
      const inside = { ...sides, isSent: isSent && key !== 'responses' };
      return changesOf(inside, before[key], after[key], where, !hasNames && maps.includes(key));
    }
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
    true,
  );
  return [...operations, ...events];
};

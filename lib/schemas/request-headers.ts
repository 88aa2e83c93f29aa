import * as z from 'zod/mini';

/** An entity tag (RFC 9110, section 8.8.3). The document has this pattern, so it has no escape above `\x7f`. */
export const entityTagPattern = '(W/)?"[^\\x00-\\x20"\\x7f]*"';

const entityTag = new RegExp(entityTagPattern, 'g');

/** A list of entity tags, or `*`. Empty elements of the list are ignored (RFC 9110, section 5.6.1.2). */
const entityTags = new RegExp(`^[\\s,]*(\\*\\s*|${entityTagPattern}(\\s*,[\\s,]*${entityTagPattern})*[\\s,]*)$`);

/** A header that can be absent. @param parse parses the values; it returns undefined if they are invalid */
const header = <T>(message: string, parse: (lines: string[]) => T | undefined) =>
  z.pipe(
    z.optional(z.array(z.string())),
    z.transform((lines, { issues }): T | undefined => {
      const parsed = lines && parse(lines);
      if (lines && parsed === undefined) issues.push({ code: 'custom', message, input: lines });
      return parsed;
    }),
  );

/** `*`, or the list of entity tags. Weak tags keep their `W/`. */
const EntityTags = header('expected * or a list of entity tags', (lines): '*' | string[] | undefined => {
  const text = lines.join();
  return entityTags.test(text) ? (text.match(entityTag) ?? '*') : undefined;
});

export const maxKeyLength = 255;

/** A key as callers send it: bare, or quoted. In quotes, `"` and `\` have a `\` before them. */
export const sentKey = new RegExp(
  `^("(([ !#-\\[\\]-~]|\\\\["\\\\]){1,${maxKeyLength}})"|[!#-~][ -~]{0,${maxKeyLength - 1}})$`,
);

/** The key without its quotes: `"k"` and `k` are the same key (draft-ietf-httpapi-idempotency-key-header: an sf-string). */
const IdempotencyKey = header(
  `expected one key of 1 to ${maxKeyLength} printable ASCII characters, quoted or bare`,
  ([line = '', ...others]) => {
    const match = others.length === 0 && sentKey.exec(line);
    return match ? (match[2]?.replaceAll(/\\(["\\])/g, '$1') ?? line) : undefined;
  },
);

/** Schemas of the request headers that operations declare, by their names in the contract. */
export const requestHeaderSchemas = {
  'If-Match': EntityTags,
  'If-None-Match': EntityTags,
  'Idempotency-Key': IdempotencyKey,
};
export type RequestHeader = keyof typeof requestHeaderSchemas;

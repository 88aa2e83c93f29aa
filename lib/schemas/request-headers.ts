import * as z from 'zod/mini';

/** RFC 9110, section 8.8.3. The OpenAPI document has this pattern, so it has no escape above `\x7f`. */
export const entityTagPattern = '(W/)?"[^\\x00-\\x20"\\x7f]*"';

const entityTag = new RegExp(entityTagPattern, 'g');

/** Empty elements of the list are ignored (RFC 9110, section 5.6.1.2). */
const entityTags = new RegExp(
  `^[\\s,]*(\\*\\s*|${entityTagPattern}(\\s*,[\\s,]*${entityTagPattern})*[\\s,]*)$`,
);

/** @param parse returns undefined if the values are invalid */
const header = <T>(message: string, parse: (lines: string[]) => T | undefined) =>
  z.pipe(
    z.optional(z.array(z.string())),
    z.transform((lines, { issues }): T | undefined => {
      const parsed = lines && parse(lines);
      if (lines && parsed === undefined) issues.push({ code: 'custom', message, input: lines });
      return parsed;
    }),
  );

/** Weak tags keep their `W/`. */
const EntityTags = header(
  'expected * or a list of entity tags',
  (lines): '*' | string[] | undefined => {
    const text = lines.join();
    return entityTags.test(text) ? (text.match(entityTag) ?? '*') : undefined;
  },
);

/** An empty list is no condition (RFC 9110, appendix A): some clients send every header of the document. */
const TagsOrNone = z.pipe(
  z.transform((lines?: string[]) => (/[^\s,]/.test(`${lines}`) ? lines : undefined)),
  EntityTags,
);

export const maxKeyLength = 255;

/** Bare, or quoted with a `\` before `"` and `\`. */
export const sentKey = new RegExp(
  `^("(([ !#-\\[\\]-~]|\\\\["\\\\]){1,${maxKeyLength}})"|[!#-~][ -~]{0,${maxKeyLength - 1}})$`,
);

/** `"k"` and `k` are the same key (draft-ietf-httpapi-idempotency-key-header: an sf-string). */
const IdempotencyKey = header(
  `expected one key of 1 to ${maxKeyLength} printable ASCII characters, quoted or bare`,
  ([line = '', ...others]) => {
    const match = others.length === 0 && sentKey.exec(line);
    return match ? (match[2]?.replaceAll(/\\(["\\])/g, '$1') ?? line) : undefined;
  },
);

export const requestHeaderSchemas = {
  'If-Match': EntityTags,
  'If-None-Match': TagsOrNone,
  'Idempotency-Key': IdempotencyKey,
};
export type RequestHeader = keyof typeof requestHeaderSchemas;

import * as z from 'zod/mini';

const values = z.optional(z.array(z.string()));

/** RFC 9110, section 8.8.3: opaque-tag is printable without DQUOTE, or obs-text. */
export const entityTagPattern = '(W/)?"[!#-~\\x80-\\xff]*"';

const leadingTag = new RegExp(`^${entityTagPattern}`);

/** `*`, or the list of entity tags, weak ones with their `W/`. Undefined when the header is absent. */
const EntityTags = z.pipe(
  values,
  z.transform((lines, context): '*' | string[] | undefined => {
    if (lines === undefined) return undefined;
    const tags: string[] = [];
    // Empty elements of a list are ignored: RFC 9110, section 5.6.1.2.
    let rest = lines
      .join(',')
      .replace(/^[\s,]+/, '')
      .trim();
    if (rest === '*') return '*';
    while (rest !== '') {
      const tag = leadingTag.exec(rest)?.[0];
      if (tag === undefined) break;
      tags.push(tag);
      rest = rest.slice(tag.length).trimStart();
      if (rest === '') return tags;
      if (!rest.startsWith(',')) break;
      rest = rest.replace(/^[\s,]+/, '');
    }
    if (rest === '' && tags.length > 0) return tags;
    context.issues.push({ code: 'custom', message: 'expected * or a list of entity tags', input: lines });
    return z.NEVER;
  }),
);

/** The most characters of an Idempotency-Key. */
export const maxKeyLength = 255;

/** A key as it is sent: bare, or quoted with `\` before `"` and before itself. */
export const sentKey = new RegExp(
  `^("(([ !#-\\[\\]-~]|\\\\["\\\\]){1,${maxKeyLength}})"|[!#-~][ -~]{0,${maxKeyLength - 1}})$`,
);

/** The key without its quotes: `"k"` and `k` are the same key (draft-ietf-httpapi-idempotency-key-header: an sf-string). */
const IdempotencyKey = z.pipe(
  values,
  z.transform((lines, context): string | undefined => {
    if (lines === undefined) return undefined;
    const [line = ''] = lines;
    const match = sentKey.exec(line);
    if (lines.length === 1 && match) return match[2]?.replaceAll(/\\(["\\])/g, '$1') ?? line;
    context.issues.push({
      code: 'custom',
      message: `expected one key of 1 to ${maxKeyLength} printable ASCII characters, quoted or bare`,
      input: lines,
    });
    return z.NEVER;
  }),
);

/** Schemas of the request headers that operations declare, by their names in the contract. */
export const requestHeaderSchemas = {
  'If-Match': EntityTags,
  'If-None-Match': EntityTags,
  'Idempotency-Key': IdempotencyKey,
};
export type RequestHeader = keyof typeof requestHeaderSchemas;

import { digest } from '../digest.ts';
import type { Precondition } from '../model/table/write-once.ts';

// A single resource has an ETag (RFC 9110, 8.8.3). With it, a read can return 304, and a write can demand that nobody else wrote.

export const entityTag = (representation: object | string): string => `"${digest(representation)}"`;

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
export const matchesWeakly = (tags: '*' | string[] | undefined, tag: string): boolean =>
  tags === '*' || (tags ?? []).some(candidate => candidate.replace(/^W\//, '') === tag);

/** RFC 9110, 13.2.2. `If-Match: *` needs no check: a missing resource returns 404. It never matches a weak tag (13.1.1). */
export const preconditionOf = (
  match?: '*' | string[],
  noneMatch?: '*' | string[],
): Precondition | undefined => {
  const tags = Array.isArray(match) ? match : undefined;
  if (!tags && !noneMatch) return undefined;
  return representation => {
    const tag = entityTag(representation);
    return (!tags || tags.includes(tag)) && !matchesWeakly(noneMatch, tag);
  };
};

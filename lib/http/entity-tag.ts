import { digest } from '../digest.ts';

/** A strong entity tag (RFC 9110, section 8.8.3). */
export const entityTag = (representation: object | string): string => `"${digest(representation)}"`;

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
export const matchesWeakly = (tags: '*' | string[], tag: string): boolean =>
  tags === '*' || tags.some(candidate => candidate.replace(/^W\//, '') === tag);

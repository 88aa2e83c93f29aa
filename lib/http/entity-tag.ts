import { digest } from '../digest.ts';

/** The strong entity tag of a representation. RFC 9110, section 8.8.3. */
export const entityTag = (representation: object | string): string => `"${digest(representation)}"`;

/** Whether If-None-Match has a tag, by weak comparison. RFC 9110, section 13.1.2. */
export const matchesWeakly = (tags: '*' | string[], tag: string): boolean =>
  tags === '*' || tags.some(candidate => candidate.replace(/^W\//, '') === tag);

import * as z from 'zod/mini';
import { expected } from './expected.ts';

/** One line without control characters, and with more than white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects them
const oneLine = /^\s*[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?\s*$/;

/** Well-formed Unicode (no lone surrogate) of at most `max` code points. */
const codePoints = (max: number, size: string, but = '', pattern?: RegExp) => {
  const message = expected(`a string of ${size} ${max} characters in well-formed Unicode${but}`);
  const fits = (text: string) => text.isWellFormed() && [...text].length <= max && (pattern?.test(text) ?? true);
  return { message, check: z.refine<string>(fits, message) };
};

// JSON Schema has no counterpart of a refinement, so `meta` states its bounds.

/** A name. It is trimmed before it is checked and stored. */
export const nameText = (max: number) => {
  const { message, check } = codePoints(max, '1 to', ', without control characters', oneLine);
  const meta = z.meta({ minLength: 1, maxLength: max, pattern: oneLine.source });
  return z.string(message).check(z.trim(), check, meta);
};

/** The name of a pet or of a category. */
export const Name = nameText(100);

/** A string that is stored as sent. */
export const text = (max: number) => {
  const { message, check } = codePoints(max, 'at most');
  return z.string(message).check(check, z.meta({ maxLength: max }));
};

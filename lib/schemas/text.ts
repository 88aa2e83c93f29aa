import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { uncarried } from './uncarried.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects them
const withoutControls = /^[^\x00-\x1f\x7f-\x9f]+$/;

/** Every reader can store these code points: PostgreSQL, for example, rejects U+0000. @param controls for the message */
const codePoints = (max: number, size: string, controls: string, pattern?: RegExp) => {
  const message = expected(
    `a string of ${size} ${max} characters, without ${controls}, U+FFFE, U+FFFF and lone surrogates`,
  );
  const fits = (text: string) =>
    text.search(uncarried) < 0 && (pattern?.test(text) ?? true) && [...text].length <= max;
  return { message, check: z.refine<string>(fits, message) };
};

// JSON Schema has no refinements, so `meta` states the bounds. Its patterns work in the engines of all languages, and accept
// more, because such a pattern cannot name characters above U+007F.

/** Trimmed before it is checked and stored. */
export const nameText = (max: number) => {
  const { message, check } = codePoints(max, '1 to', 'control characters', withoutControls);
  const pattern = String.raw`^[\t-\r ]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*[\t-\r ]*$`;
  return z
    .string(message)
    .check(z.trim(), check, z.meta({ minLength: 1, maxLength: max, pattern }));
};

export const Name = nameText(100);

/** Stored as sent. */
export const text = (max: number) => {
  const { message, check } = codePoints(
    max,
    'at most',
    'control characters (except tab and line breaks)',
  );
  const pattern = String.raw`^[^\x00-\x08\x0b\x0c\x0e-\x1f]*$`;
  return z.string(message).check(check, z.meta({ maxLength: max, pattern }));
};

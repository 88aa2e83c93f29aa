import * as z from 'zod/mini';
import { expected } from './expected.ts';

/** Well-formed Unicode (no lone surrogate) of `min` to `max` code points, none of them forbidden. */
const codePoints = (min: number, max: number, { but = '', forbidden }: { but?: string; forbidden?: RegExp } = {}) => {
  const message = expected(
    `${min === 0 ? `a string of at most ${max}` : `a string of ${min} to ${max}`} characters in well-formed Unicode${but}`,
  );
  const fits = (text: string) => {
    const length = [...text].length;
    return text.isWellFormed() && length >= min && length <= max && !forbidden?.test(text);
  };
  return { message, check: z.refine<string>(fits, message), meta: z.meta({ minLength: min, maxLength: max }) };
};

/** A name: its surrounding white space is dropped before it is counted and stored, and it stands on one line. */
export const nameText = (min: number, max: number) => {
  const { message, check, meta } = codePoints(min, max, {
    but: ', without control characters',
    forbidden: /\p{Cc}/u,
  });
  return z.string(message).check(z.trim(), check, meta);
};

/** A string kept as it was sent. */
export const text = (min: number, max: number) => {
  const { message, check, meta } = codePoints(min, max);
  return z.string(message).check(check, meta);
};

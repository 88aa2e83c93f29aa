import * as z from 'zod/mini';
import { expected } from './expected.ts';

/** An RFC 3339 date-time without a leap second, as sent, but with `T` and `Z` in upper case. @param hint for the error message */
export const dateTime = (hint = '') => {
  const message = expected(`an RFC 3339 date-time with an offset or Z, and no leap second${hint}`);
  return z
    .string(message)
    .check(z.maxLength(64, message), z.toUpperCase(), z.iso.datetime({ offset: true, ...message }));
};

/** The milliseconds of the whole second, and the digits of the fraction without trailing zeros. */
const instantOf = (text: string): [second: number, fraction: string] => [
  Date.parse(text.replace(/\.\d+/, '')),
  /\.(\d+)/.exec(text)?.[1]?.replace(/0+$/, '') ?? '',
];

// These functions accept any number of fraction digits.

export const isSameInstant = (a: string, b: string): boolean => String(instantOf(a)) === String(instantOf(b));

export const isBefore = (a: string, b: string): boolean => {
  const [[second, fraction], [otherSecond, otherFraction]] = [instantOf(a), instantOf(b)];
  return second === otherSecond ? fraction < otherFraction : second < otherSecond;
};

/** Milliseconds since the epoch, rounded up to a whole millisecond. */
export const millisecondsOf = (text: string): number => {
  const [second, fraction] = instantOf(text);
  return second + Number(fraction.slice(0, 3).padEnd(3, '0')) + (fraction.length > 3 ? 1 : 0);
};

import * as z from 'zod/mini';
import { expected } from './expected.ts';

/** Without trailing zeros of the fraction, so that equal instants are equal texts. */
const inUtc = (milliseconds: number, fraction: string) =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}${fraction.replace(/\.?0*$/, '')}Z`;

export const nowInUtc = (): string => {
  const now = new Date();
  return inUtc(now.getTime(), now.toISOString().slice(19, -1));
};

/** The range of `google.protobuf.Timestamp`: the types of all languages can represent these instants. */
const firstSecond = Date.parse('0001-01-01T00:00:00Z');
const lastSecond = Date.parse('9999-12-31T23:59:59Z');
const maxDigits = 9;

/** An RFC 3339 date-time, converted to UTC. */
export const dateTime = (hint = '') => {
  const bounds = `from year 1 to 9999 in UTC, with at most ${maxDigits} digits of fraction and no leap second`;
  const message = expected(`an RFC 3339 date-time with an offset or Z, ${bounds}${hint}`);
  return z.pipe(
    z.string(message).check(z.toUpperCase(), z.iso.datetime({ offset: true, ...message })),
    z.transform((text: string, { issues }) => {
      const [fraction = ''] = /\.\d+/.exec(text) ?? [];
      const second = Date.parse(text.replace(fraction, ''));
      if (fraction.length <= 1 + maxDigits && second >= firstSecond && second <= lastSecond)
        return inUtc(second, fraction);
      issues.push({ code: 'custom', message: message.error({ input: text }), input: text });
      return z.NEVER;
    }),
  );
};

// These functions take date-times in UTC.

/** Compares without the `Z`, because `…00.5Z` sorts before `…00Z`. */
export const isBefore = (a: string, b: string): boolean => a.slice(0, -1) < b.slice(0, -1);

/** Milliseconds since the epoch, rounded up: `Date.parse` ignores more digits. */
export const millisecondsOf = (text: string): number =>
  Date.parse(text) + (text.length > '2027-01-04T09:00:00.123Z'.length ? 1 : 0);

/** Seconds, as everywhere in this file. */
const firstDelay = 5;
/** Also the longest Retry-After that is respected. */
const maxDelay = 3_600;

/** The three formats of an HTTP-date (RFC 9110, 5.6.7). The last format has no time zone. */
const httpDate =
  /^\w{3,9}, \d\d[ -]\w{3}[ -]\d\d(?:\d\d)? \d\d:\d\d:\d\d GMT$|^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** A number or a date (RFC 9110, 10.2.3). 0 if it is absent, invalid or past. */
const readRetryAfter = (value = '', now: number): number => {
  const date = httpDate.test(value) ? Date.parse(value.replace(/\d{4}$/, '$& GMT')) : Number.NaN;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((date - now) / 1000);
  return seconds > 0 ? Math.min(seconds, maxDelay) : 0;
};

/**
 * Exponential backoff with full jitter, or Retry-After if that is longer. From attempt 11 on, the average backoff is half an
 * hour.
 * @param attempt the number of the attempt that failed, from 1
 * @param random from 0 to 1
 * @param now in milliseconds
 */
export const retryDelay = (
  attempt: number,
  retryAfter: string | undefined,
  random: number,
  now: number,
): number => {
  const backoff = Math.ceil(random * Math.min(firstDelay * 2 ** (attempt - 1), maxDelay));
  return Math.max(backoff, readRetryAfter(retryAfter, now), 1);
};

import type { RetryPolicy } from './rules.ts';

/** In milliseconds. EventBridge's own back-off is documented as exponential with jitter, and no more. */
const firstWait = 500;
const longestWait = 60_000;

/** Milliseconds until the next try: half at least, and at most all, of a time that doubles. @param tries how many have failed */
export const waitAfter = (tries: number, random: number, first = firstWait): number =>
  Math.min(first * 2 ** (tries - 1), longestWait) * (0.5 + random / 2);

export type Exhausted = keyof RetryPolicy;

/** Why an event is not tried again. @param age of the event at the next try, in milliseconds */
export const exhausted = (retries: number, age: number, policy: RetryPolicy): Exhausted | undefined => {
  if (retries > policy.MaximumRetryAttempts) return 'MaximumRetryAttempts';
  return age > policy.MaximumEventAgeInSeconds * 1000 ? 'MaximumEventAgeInSeconds' : undefined;
};

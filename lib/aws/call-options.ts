import { timeLeft } from '../request-context.ts';

/** The timeout of one call, in milliseconds. */
const callTimeout = 3_000;

/** Limits a call to EventBridge, SQS or Secrets Manager to `callTimeout`, or to the time left of the request if that is less. */
export const withinTimeout = () => ({
  abortSignal: AbortSignal.timeout(Math.max(Math.min(callTimeout, timeLeft()), 1)),
});

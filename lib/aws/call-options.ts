import { timeLeft } from '../request-context.ts';

/** The timeout of one call, in milliseconds. */
const callTimeout = 3_000;

/** Options of a call to EventBridge, SQS or Secrets Manager: it ends by the request's deadline, or in 1 ms if that has passed. */
export const withinTimeout = () => ({
  abortSignal: AbortSignal.timeout(Math.max(Math.min(callTimeout, timeLeft()), 1)),
});

import { timeLeft } from '../request-context.ts';

/** The timeout of one call, in milliseconds. */
const callTimeout = 3_000;

/** Options of one call to EventBridge, SQS or Secrets Manager. The call ends at the deadline of the request at the latest. */
export const withinTimeout = () => ({
  abortSignal: AbortSignal.timeout(Math.max(Math.min(callTimeout, timeLeft()), 1)),
});

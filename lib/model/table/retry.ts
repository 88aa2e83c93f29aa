import { environment } from '../../environment.ts';
import { ApiError } from '../../errors.ts';
import { type RequestContext, requestContext } from '../../request-context.ts';
import { type CallError, classifyError, isInProgress } from './classify-error.ts';

type Attempt<O> = (options: { abortSignal: AbortSignal }) => Promise<O>;

export const maxAttempts = 8;
export const { retryBudget } = environment;
const { attemptTimeout } = environment;
const baseDelay = 25;
const maxDelay = 500;

/** Milliseconds, with full jitter. @param random 0 … 1 */
export const backoff = (attempts: number, random: number): number =>
  random * Math.min(maxDelay, baseDelay * 2 ** attempts);

/** Milliseconds since the epoch. */
export const retryDeadline = ({ startedAt, deadline }: RequestContext): number =>
  Math.min(startedAt + retryBudget, deadline);

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * Aborts the attempt, which closes its connection, after `attemptTimeout`, or earlier at the request's deadline: an attempt that
 * must connect first could otherwise send its call later. Timers fire in order of time, so this timer fires before the one with
 * which Middy sends the response. After the response, Lambda can freeze the process.
 */
const withTimeout = async <O>(attempt: Attempt<O>, timeLeft: number): Promise<O> => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.min(attemptTimeout, timeLeft));
  try {
    return await attempt({ abortSignal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Retries a call that is safe to retry, with exponential backoff and full jitter
 * (aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter). Why the SDK does not: cdk/DECISIONS.md
 *
 * After TransactionInProgressException, DynamoDB still executes an earlier attempt, so the delays are those of its API reference:
 * 500 ms, doubled each time, without jitter, until the deadline.
 * @param onAmbiguous only for a call that writes: called after an attempt that DynamoDB may still carry out
 * @throws {ApiError} try_again when nothing was written; outcome_unknown when this is uncertain. Rethrows fatal errors
 */
export const retry = async <O>(attempt: Attempt<O>, onAmbiguous?: () => void): Promise<O> => {
  const request = requestContext();
  let isAmbiguous = false;
  let waits = 0;
  let lastError: unknown;
  const finalError = () => {
    const cause = lastError ?? new Error('No time was left to call DynamoDB.');
    return new ApiError(isAmbiguous ? 'outcome_unknown' : 'try_again', undefined, { cause });
  };
  for (let attempts = 1; ; attempts++) {
    // If the process was stopped during a sleep, the sleep ends late.
    const timeLeft = request.deadline - Date.now();
    if (timeLeft <= 0) throw finalError();
    try {
      return await withTimeout(attempt, timeLeft);
    } catch (error) {
      const errorClass = classifyError(error as CallError);
      if (errorClass === 'fatal') throw error;
      lastError = error;
      if (errorClass === 'ambiguous' && onAmbiguous) {
        isAmbiguous = true;
        onAmbiguous();
      }
      const waiting = isInProgress(error as CallError);
      const delay = waiting ? 500 * 2 ** waits++ : backoff(attempts, Math.random());
      const end = waiting ? request.deadline : retryDeadline(request);
      if ((attempts === maxAttempts && !waiting) || Date.now() + delay >= end) throw finalError();
      await sleep(delay);
    }
  }
};

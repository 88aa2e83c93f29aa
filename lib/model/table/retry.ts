import { environment } from '../../environment.ts';
import { ApiError } from '../../errors.ts';
import { type RequestContext, requestContext } from '../../request-context.ts';
import { type Failure, isInProgress, judge } from './classify-error.ts';

/** One try of a call to DynamoDB. */
export type Attempt<O> = (options: { abortSignal: AbortSignal }) => Promise<O>;

export const maxAttempts = 8;
export const { retryBudget } = environment;
const { attemptTimeout } = environment;
const baseDelay = 25;
const maxDelay = 500;

/** How long to wait after so many tries, in milliseconds: full jitter. @param random 0 … 1 */
export const backoff = (tries: number, random: number): number => random * Math.min(maxDelay, baseDelay * 2 ** tries);

/** When it is too late for a request to repeat a call or to decide anew, in milliseconds since the epoch. */
export const lastRepeat = ({ startedAt, deadline }: RequestContext): number =>
  Math.min(startedAt + retryBudget, deadline);

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * Makes one try and gives it up in time: its connection is cut. A try is held against the deadline a moment before its bytes
 * leave (longer, when it has to connect first). This timer covers the gap: it is due by the deadline, timers run in order,
 * and so what has not left by then is destroyed before an answer goes out and the process may be frozen.
 */
const timed = async <O>(attempt: Attempt<O>, timeLeft: number): Promise<O> => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.min(attemptTimeout, timeLeft));
  try {
    return await attempt({ abortSignal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Repeats a call while it is refused or its outcome unknown, with full jitter
 * (aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter). The SDK's own retry is off: it does not repeat
 * TransactionConflict, and it hides whether an attempt may have written. A call must therefore be harmless to repeat.
 *
 * A transaction in progress is one's own earlier try, so the delays have no jitter; they and the retry budget are what
 * DynamoDB's API reference advises under TransactionInProgressException: 500 ms, doubled, until a repeat can complete the
 * transaction (after 5 seconds), or until the deadline.
 * @param onUnanswered of a call that writes: is told of a try that went unanswered, which may be carried out at any time from then on
 * @throws {ApiError} try_again when nothing was written, outcome_unknown when that is not certain
 */
export const retry = async <O>(attempt: Attempt<O>, onUnanswered?: () => void): Promise<O> => {
  const request = requestContext();
  let unknown = false;
  let waits = 0;
  let cause: unknown = new Error('No time was left to ask DynamoDB');
  const giveUp = () => new ApiError(unknown ? 'outcome_unknown' : 'try_again', undefined, { cause });
  for (let tries = 1; ; tries++) {
    // A sleep ends late when the process was stopped meanwhile.
    const timeLeft = request.deadline - Date.now();
    if (timeLeft <= 0) throw giveUp();
    try {
      return await timed(attempt, timeLeft);
    } catch (error) {
      const verdict = judge(error as Failure);
      if (verdict === 'final') throw error;
      cause = error;
      if (verdict === 'unknown' && onUnanswered) {
        unknown = true;
        onUnanswered();
      }
      const waiting = isInProgress(error as Failure);
      const delay = waiting ? 500 * 2 ** waits++ : backoff(tries, Math.random());
      const last = waiting ? request.deadline : lastRepeat(request);
      if ((tries === maxAttempts && !waiting) || Date.now() + delay >= last) throw giveUp();
      await sleep(delay);
    }
  }
};

import { ApiError } from '../errors.ts';

/** One try of a call to DynamoDB. */
export type Attempt<O> = (options: { abortSignal: AbortSignal }) => Promise<O>;

const maxAttempts = 8;
/** No try begins later than this after the first, in milliseconds. */
const budget = 2000;
/** How long one try may take, in milliseconds. */
const attemptTimeout = 1000;
const baseDelay = 25;
const maxDelay = 500;

/** Refusals after which nothing was written: contention and throttling. */
const refusals = new Set([
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

/** The same, as reasons of a cancelled transaction. */
const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

interface Failure {
  name?: string;
  /** Of a system error: ECONNRESET, EPIPE, … */
  code?: string;
  $fault?: 'client' | 'server';
  $response?: unknown;
  CancellationReasons?: { Code?: string }[];
}

/** No answer came, or none that can be read: the call may have been carried out. */
const wentUnanswered = ({ name, code, $response, $fault }: Failure): boolean =>
  name === 'AbortError' ||
  name === 'TimeoutError' ||
  typeof code === 'string' ||
  ($fault === undefined && $response !== undefined);

/** `refused`: nothing was written and another try may succeed. `unknown`: it may have been written. `final`: no use in trying again. */
const judge = (error: Failure): 'refused' | 'unknown' | 'final' => {
  if (refusals.has(error.name ?? '')) return 'refused';
  if (error.CancellationReasons?.some(({ Code }) => passingReasons.has(Code ?? ''))) return 'refused';
  if (error.name === 'TransactionInProgressException' || error.$fault === 'server') return 'unknown';
  // What is left is a rejected condition or a defect of ours.
  return wentUnanswered(error) ? 'unknown' : 'final';
};

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * Repeats a call while it is refused or its outcome unknown, with full jitter
 * (aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter). The SDK's own retry is off: it does not repeat
 * TransactionConflict, and it hides whether an attempt may have written. A call must therefore be harmless to repeat.
 * @throws {ApiError} try_again when nothing was written, outcome_unknown when that is not certain
 */
export const retry = async <O>(attempt: Attempt<O>): Promise<O> => {
  const startedAt = Date.now();
  let unknown = false;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt({ abortSignal: AbortSignal.timeout(attemptTimeout) });
    } catch (error) {
      const verdict = judge(error as Failure);
      if (verdict === 'final') throw error;
      unknown ||= verdict === 'unknown';
      const delay = Math.random() * Math.min(maxDelay, baseDelay * 2 ** tries);
      if (tries === maxAttempts || Date.now() + delay - startedAt > budget) {
        throw new ApiError(unknown ? 'outcome_unknown' : 'try_again', undefined, { cause: error });
      }
      await sleep(delay);
    }
  }
};

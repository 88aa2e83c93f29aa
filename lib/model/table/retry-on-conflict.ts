import { ApiError } from '../../errors.ts';
import { requestContext } from '../../request-context.ts';
import { lastRepeat } from './retry.ts';

/** Whether the current representation is the one that the caller means to change. */
export type Precondition = (representation: object) => boolean;

/** What came of one attempt: it is done, or it conflicted, and the next one starts from what is current now. */
export type Attempted<R, C> = { readonly done: R } | { readonly current: C };

/** Each conflict means that another writer succeeded, so only a crowd uses up this many attempts. */
const maxRounds = 8;

/**
 * Optimistic concurrency: an attempt writes on the condition that what it was based on has not changed. After a conflict
 * the next attempt starts from the item that the rejection returned (ALL_OLD), without another read. No attempt starts past
 * the deadline, not even the first: the read before it may have returned while the process was stopped.
 * @throws {ApiError} try_again
 */
export const retryOnConflict = async <R, C>(
  first: C,
  attempt: (current: C) => Promise<Attempted<R, C>>,
): Promise<R> => {
  const request = requestContext();
  let current = first;
  for (let round = 0; round < maxRounds; round++) {
    if (Date.now() >= (round === 0 ? request.deadline : lastRepeat(request))) break;
    const outcome = await attempt(current);
    if ('done' in outcome) return outcome.done;
    current = outcome.current;
  }
  throw new ApiError('try_again', undefined, {
    cause: new Error('Others were faster, until no time or no round was left'),
  });
};

import { ApiError } from '../../errors.ts';
import { requestContext } from '../../request-context.ts';
import { retryDeadline } from './retry.ts';

/** Whether the caller's If-Match matches the current representation. */
export type Precondition = (representation: object) => boolean;

/** The result of one attempt: it is done, or there was a conflict, and the next attempt starts from the current item. */
type Attempted<R, C> = { readonly done: R } | { readonly current: C };

/** Each conflict means that another writer succeeded, so only many concurrent writers use up these attempts. */
const maxAttempts = 8;

/**
 * Optimistic concurrency: an attempt writes on the condition that the item it read has not changed. After a conflict the
 * next attempt starts from the item that the rejection returned (ALL_OLD), without another read. No attempt starts after the
 * deadline, not even the first: the process may have been stopped after the read before it.
 * @throws {ApiError} try_again
 */
export const retryOnConflict = async <R, C>(
  first: C,
  attempt: (current: C) => Promise<Attempted<R, C>>,
): Promise<R> => {
  const request = requestContext();
  let current = first;
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    if (Date.now() >= (attempts === 0 ? request.deadline : retryDeadline(request))) break;
    const result = await attempt(current);
    if ('done' in result) return result.done;
    current = result.current;
  }
  throw new ApiError('try_again', undefined, {
    cause: new Error('Conflicts with other writers, until no time or no attempt was left.'),
  });
};

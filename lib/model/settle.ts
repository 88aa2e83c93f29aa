import { ApiError } from '../errors.ts';
import { requestContext } from '../request-context.ts';
import { lastRepeat } from './retry.ts';
import type { Item } from './table.ts';

/** What came of one attempt: it was written, or somebody else had changed the item, which is now `present`. */
export type Attempted<R> = { readonly done: R } | { readonly present: Item | undefined };

/** Every failed attempt means that another writer got on, so running out of these takes a crowd. */
const maxRounds = 8;

/**
 * Optimistic concurrency: decides on an item, writes on the condition that it is still so, and decides again on what the
 * rejection showed (ALL_OLD) without another read, until a write lands. Nothing is decided past the deadline, not even at
 * first: the answer that it would be based on may have come while the process was stopped.
 * @throws {ApiError} try_again
 */
export const settle = async <R>(
  first: Item | undefined,
  attempt: (item: Item | undefined) => Promise<Attempted<R>>,
): Promise<R> => {
  const request = requestContext();
  let item = first;
  for (let round = 0; round < maxRounds; round++) {
    if (Date.now() >= (round === 0 ? request.deadline : lastRepeat(request))) break;
    const outcome = await attempt(item);
    if ('done' in outcome) return outcome.done;
    item = outcome.present;
  }
  throw new ApiError('try_again');
};

import { ApiError } from '../../errors.ts';
import { requestContext } from '../../request-context.ts';
import type { Item } from './calls.ts';
import { lastRepeat } from './retry.ts';

/** Whether the present representation is the one that the caller means to change. */
export type Precondition = (representation: object) => boolean;

/**
 * What came of one decision: it was written, or somebody else had changed the item, which is now `present`, or another one
 * that the write depends on, which is handed to the next decision as it was `seen`.
 */
export type Decided<R, S = never> =
  | { readonly done: R }
  | { readonly present?: Item | undefined; readonly seen?: S | undefined };

/** Every decision that comes too late means that another writer got on, so running out of these takes a crowd. */
const maxRounds = 8;

/**
 * Optimistic concurrency: decides on an item, writes on the condition that it is still so, and decides again on what the
 * rejection showed (ALL_OLD) without another read, until a write lands. Nothing is decided past the deadline, not even at
 * first: the answer that it would be based on may have come while the process was stopped.
 * @throws {ApiError} try_again
 */
export const settle = async <R, S = never>(
  first: Item | undefined,
  decide: (item: Item | undefined, seen?: S) => Promise<Decided<R, S>>,
): Promise<R> => {
  const request = requestContext();
  let item = first;
  let seen: S | undefined;
  for (let round = 0; round < maxRounds; round++) {
    if (Date.now() >= (round === 0 ? request.deadline : lastRepeat(request))) break;
    const outcome = await decide(item, seen);
    if ('done' in outcome) return outcome.done;
    ({ present: item, seen } = outcome);
  }
  throw new ApiError('try_again', undefined, {
    cause: new Error('Others were faster, until no time or no round was left'),
  });
};

import { ApiError, type ErrorName } from '../errors.ts';
import type { Item } from './table/calls.ts';
import type { Precondition } from './table/write-once.ts';

/**
 * Returns a function that checks two things: the current item exists, and it satisfies the precondition of the request.
 * @param notFound the error when the item does not exist
 */
export const checkOf =
  <I>(notFound: ErrorName, represent: (item: Item) => object) =>
  /** @throws {ApiError} `notFound`, precondition_failed */
  (item: Item | undefined, precondition?: Precondition): I => {
    if (!item) throw new ApiError(notFound);
    if (precondition && !precondition(represent(item))) throw new ApiError('precondition_failed');
    return item as I;
  };

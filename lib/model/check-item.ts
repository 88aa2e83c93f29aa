import { ApiError, type ErrorName } from '../errors.ts';
import type { Item } from './table/calls.ts';
import type { Precondition } from './table/write-once.ts';

/** Checks that the current item exists and satisfies the precondition of the request. */
export const checkOf =
  <I>(notFound: ErrorName, represent: (item: Item) => object) =>
  /** @throws {ApiError} `notFound`, precondition_failed */
  (item: Item | undefined, precondition?: Precondition): I => {
    if (!item) throw new ApiError(notFound);
    if (precondition && !precondition(represent(item))) throw new ApiError('precondition_failed');
    return item as I;
  };

import { digest } from '../digest.ts';
import { ApiError } from '../errors.ts';

/**
 * A cursor is the last id of a page, and a digest of that id and of the scope: operation, filters and owner. The digest detects
 * mistakes, not forgery: a forged cursor still returns only items that the caller may read.
 */
export const encodeCursor = (scope: unknown, lastId: number): string =>
  `${lastId.toString(36)}.${digest([scope, lastId])}`;

/** @throws {ApiError} invalid_cursor when the cursor is malformed or has another scope */
export const decodeCursor = (scope: unknown, cursor: string): number => {
  const lastId = Number.parseInt(cursor, 36);
  if (!Number.isSafeInteger(lastId) || encodeCursor(scope, lastId) !== cursor)
    throw new ApiError('invalid_cursor');
  return lastId;
};

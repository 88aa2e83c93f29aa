import { digest } from '../digest.ts';
import { ApiError } from '../errors.ts';

/**
 * A cursor is the last id given out and a digest of it with everything that the walk depends on: operation, filters and
 * the caller's view. It guards against mistakes, not against forgery: a forged one shows nothing that its maker may not read.
 */
export const sealCursor = (walk: unknown, lastId: number): string => `${lastId.toString(36)}.${digest([walk, lastId])}`;

/** @throws {ApiError} invalid_cursor when it is garbled or belongs to another walk */
export const openCursor = (walk: unknown, cursor: string): number => {
  const lastId = Number.parseInt(cursor, 36);
  if (!Number.isSafeInteger(lastId) || sealCursor(walk, lastId) !== cursor) throw new ApiError('invalid_cursor');
  return lastId;
};

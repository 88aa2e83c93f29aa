import { ApiError } from '../../errors.ts';
import type { Item, Write } from './calls.ts';
import { newId } from './id.ts';
import { idempotencyKey } from './keys.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { currentItem, type Rejected, transact } from './transact.ts';
import { putItem } from './writes.ts';

/** A key of the caller's choosing, scoped to caller and operation, and what was asked under it. */
export interface Idempotency {
  readonly id: string;
  readonly requestDigest: string;
  /** Whose key it is, so that an operator can find and delete what is stored about an owner. */
  readonly ownerId: string;
}

/** What a creation answers: the thing, and whether an earlier request had created it. */
export interface Creation<T> {
  readonly created: T;
  readonly replayed: boolean;
}

/** How long an idempotency key is remembered, in seconds. */
const idempotencyLifetime = 24 * 60 * 60;

const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** The record of a creation. TTL deletes late, so its condition reads the expiry itself. */
const remember = ({ id, requestDigest, ownerId }: Idempotency, result: object): Write => {
  const now = nowInSeconds();
  return putItem(
    { ...idempotencyKey(id), requestDigest, ownerId, result, expiresAt: now + idempotencyLifetime },
    'attribute_not_exists(#pk) OR #expiresAt <= :now',
    { ':now': now },
  );
};

/** What to create, and the writes that do it. `newItem` is the thing itself, guarded by `attribute_not_exists`. */
interface Plan<T, Name extends string> {
  readonly created: T;
  readonly writes: Readonly<Record<'newItem' | Name, Write>>;
}

/** How to create a thing. `current` is the item that its other writes depend on, once one of them was rejected. */
interface Creating<T, Name extends string> {
  readonly plan: (id: number, current: Item | undefined) => Plan<T, Name>;
  /** Reads `current` after a rejection of the other writes. */
  readonly read?: (rejected: Rejected<Name>) => Promise<Item | undefined>;
  /** @throws {ApiError} when it follows from the rejection that the thing cannot be created */
  readonly refuse?: (rejected: Rejected<Name>, current: Item | undefined) => void;
}

/** What an earlier request created under the key. @throws {ApiError} idempotency_key_reused */
const recorded = <T>({ requestDigest }: Idempotency, record: Item | undefined): Creation<T> | undefined => {
  if (!record || record.expiresAt <= nowInSeconds()) return undefined;
  if (record.requestDigest !== requestDigest) throw new ApiError('idempotency_key_reused');
  return { created: record.result as T, replayed: true };
};

/**
 * Creates a thing under a new id, and under an idempotency key at most once: the record of the key is part of the same
 * transaction, so there is no lock, nothing "in progress", and nothing stuck when the process dies.
 * @throws {ApiError} idempotency_key_reused, try_again, and what `refuse` throws
 */
export const createOnce = async <T extends object, Name extends string>(
  idempotency: Idempotency | undefined,
  { plan, read = async () => undefined, refuse = () => undefined }: Creating<T, Name>,
): Promise<Creation<T>> =>
  retryOnConflict<Creation<T>, Item | undefined>(undefined, async before => {
    const { created, writes } = plan(newId(), before);
    const rejected = await transact({ ...writes, key: idempotency && remember(idempotency, created) });
    if (!rejected) return { done: { created, replayed: false } };
    const replay = async () =>
      idempotency && recorded<T>(idempotency, await currentItem(rejected.key, idempotencyKey(idempotency.id)));
    if (rejected.key) {
      const earlier = await replay();
      return earlier ? { done: earlier } : { current: before };
    }
    if (rejected.newItem) return { current: before };
    const current = await read(rejected);
    try {
      refuse(rejected, current);
    } catch (error) {
      // What was created under the key comes before every refusal, and its rejection may not have been reported.
      const earlier = await replay();
      if (earlier) return { done: earlier };
      throw error;
    }
    return { current };
  });

import { ApiError } from '../../errors.ts';
import type { Item, Write } from './calls.ts';
import { newId } from './id.ts';
import { idempotencyKey } from './keys.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { currentItem, type Rejected, transact } from './transact.ts';
import { putItem } from './writes.ts';

/** An idempotency key, scoped to owner and operation, and the request that was made with it. */
export interface Idempotency {
  readonly id: string;
  readonly requestDigest: string;
  /** Whose key it is, so that an operator can find and delete what is stored about an owner. */
  readonly ownerId: string;
}

/** The created resource, and whether an earlier request with the same key created it. */
export interface Creation<T> {
  readonly created: T;
  readonly replayed: boolean;
}

/** The lifetime of an idempotency key in seconds. */
const idempotencyLifetime = 24 * 60 * 60;

const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** Writes the idempotency record. TTL deletes late, so the condition checks the expiry. */
const putRecord = ({ id, requestDigest, ownerId }: Idempotency, result: object): Write => {
  const now = nowInSeconds();
  return putItem(
    { ...idempotencyKey(id), requestDigest, ownerId, result, expiresAt: now + idempotencyLifetime },
    'attribute_not_exists(#pk) OR #expiresAt <= :now',
    { ':now': now },
  );
};

/** The resource to create, and its writes. `newItem` is its item, with the condition `attribute_not_exists`. */
interface Plan<T, Name extends string> {
  readonly created: T;
  readonly writes: Readonly<Record<'newItem' | Name, Write>>;
}

/** How to create a resource. `current` is the item that the other writes depend on, after one of them was rejected. */
interface CreateOptions<T, Name extends string> {
  readonly plan: (id: number, current: Item | undefined) => Plan<T, Name>;
  /** Reads `current` after the other writes were rejected. */
  readonly read?: (rejected: Rejected<Name>) => Promise<Item | undefined>;
  /** @throws {ApiError} when the resource cannot be created because of the rejection */
  readonly onRejected?: (rejected: Rejected<Name>, current: Item | undefined) => void;
}

/** The result of an earlier request with the key. @throws {ApiError} idempotency_key_reused */
const replayOf = <T>({ requestDigest }: Idempotency, record: Item | undefined): Creation<T> | undefined => {
  if (!record || record.expiresAt <= nowInSeconds()) return undefined;
  if (record.requestDigest !== requestDigest) throw new ApiError('idempotency_key_reused');
  return { created: record.result as T, replayed: true };
};

/**
 * Creates a resource with a new id, at most once per idempotency key. The record of the key is written in the same
 * transaction, so there is no lock, no "in progress" state, and nothing to clean up when the process dies.
 * @throws {ApiError} idempotency_key_reused, try_again, and what `onRejected` throws
 */
export const createOnce = async <T extends object, Name extends string>(
  idempotency: Idempotency | undefined,
  { plan, read = async () => undefined, onRejected = () => undefined }: CreateOptions<T, Name>,
): Promise<Creation<T>> =>
  retryOnConflict<Creation<T>, Item | undefined>(undefined, async before => {
    const { created, writes } = plan(newId(), before);
    const rejected = await transact({ ...writes, key: idempotency && putRecord(idempotency, created) });
    if (!rejected) return { done: { created, replayed: false } };
    const replay = async () =>
      idempotency && replayOf<T>(idempotency, await currentItem(rejected.key, idempotencyKey(idempotency.id)));
    if (rejected.key) {
      const earlier = await replay();
      return earlier ? { done: earlier } : { current: before };
    }
    if (rejected.newItem) return { current: before };
    const current = await read(rejected);
    try {
      onRejected(rejected, current);
    } catch (error) {
      // A replay takes precedence over every error, and DynamoDB may not have reported the rejection of the record.
      const earlier = await replay();
      if (earlier) return { done: earlier };
      throw error;
    }
    return { current };
  });

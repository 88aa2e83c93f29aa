import { ApiError } from '../../errors.ts';
import type { Item, Write } from './calls.ts';
import { commit, type Rejection, shown } from './commit.ts';
import { newId } from './id.ts';
import { idempotencyKey } from './keys.ts';
import { type Decided, settle } from './settle.ts';
import { putItem } from './writes.ts';

/** A key of the caller's choosing, scoped to caller and operation, and what was asked under it. */
export interface Idempotency {
  readonly id: string;
  readonly digest: string;
  /** Whose it is: what is kept of a caller can be found, and erased. */
  readonly caller: string;
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
const remember = ({ id, digest, caller }: Idempotency, created: object): Write => {
  const now = nowInSeconds();
  return putItem(
    { ...idempotencyKey(id), digest, caller, created, expires: now + idempotencyLifetime },
    'attribute_not_exists(#pk) OR #expires <= :now',
    { ':now': now },
  );
};

/** A thing about to exist. The first of its writes is the thing itself, guarded by `attribute_not_exists`. */
interface Plan<T> {
  readonly created: T;
  readonly writes: readonly [Write, ...Write[]];
}

/** What an earlier request created under the key. @throws {ApiError} idempotency_key_reused */
const replay = <T>({ digest }: Idempotency, record: Item | undefined): Creation<T> | undefined => {
  if (!record || record.expires <= nowInSeconds()) return undefined;
  if (record.digest !== digest) throw new ApiError('idempotency_key_reused');
  return { created: record.created as T, replayed: true };
};

/**
 * Creates a thing under a new id, and under an idempotency key at most once: the record of the key is part of the same
 * transaction, so there is no lock, nothing "in progress", and nothing stuck when the process dies.
 * @param plan what to write, on the strength of what an earlier refusal showed
 * @param explain what the rejections of the plan's other writes mean: an error, or what they show for the next plan
 * @throws {ApiError} idempotency_key_reused, try_again, and what `explain` answers
 */
export const createOnce = async <T extends object>(
  idempotency: Idempotency | undefined,
  plan: (id: number, seen: Item | undefined) => Plan<T>,
  explain: (rejections: (Rejection | undefined)[]) => Promise<ApiError | Item | undefined> = async () => undefined,
): Promise<Creation<T>> =>
  settle(undefined, async (_, seen?: Item): Promise<Decided<Creation<T>, Item>> => {
    const { created, writes } = plan(newId(), seen);
    const rejections = await commit(idempotency ? [...writes, remember(idempotency, created)] : [...writes]);
    if (!rejections) return { done: { created, replayed: false } };
    const [idTaken] = rejections;
    const keyTaken = rejections[writes.length];
    const found = idTaken || keyTaken ? seen : await explain(rejections);
    // What was created under the key comes before every refusal, and may have gone unreported beside it.
    if (idempotency && (keyTaken || found instanceof ApiError)) {
      const earlier = replay<T>(idempotency, await shown(keyTaken, idempotencyKey(idempotency.id)));
      if (earlier) return { done: earlier };
    }
    if (found instanceof ApiError) throw found;
    return { seen: found };
  });

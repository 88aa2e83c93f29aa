import { ApiError, errors } from '../../errors.ts';
import { keyLifetimeHours } from '../../key-lifetime.ts';
import { requestContext } from '../../request-context.ts';
import { getItem, type Item, type Write } from './calls.ts';
import { idempotencyKey } from './keys.ts';
import { retryDeadline } from './retry.ts';
import { currentItem, type Rejected, transact, type Writes } from './transact.ts';
import { putItem } from './writes.ts';

/** If-Match and If-None-Match, evaluated on the current representation. */
export type Precondition = (representation: object) => boolean;

/** The key of one owner and one operation, and the request that was made with it. */
export interface Idempotency {
  readonly id: string;
  readonly requestDigest: string;
  /** With `ownerId` and `clientId`, an operator can find and delete the data of an owner or a client. */
  readonly ownerId: string;
  readonly clientId: string;
}

export interface WriteOptions {
  readonly precondition?: Precondition | undefined;
  readonly idempotency?: Idempotency | undefined;
}

/** `replayed`: the result of an earlier request with the same key. */
export interface Written<T> {
  readonly result: T;
  readonly replayed: boolean;
}

/** One attempt to write. */
interface Plan<T, C, Name extends string> {
  readonly result: T;
  /** Absent: the request changes nothing. */
  readonly writes?: Writes<Name> | undefined;
  /** Returns the item from which the next attempt starts. @throws {ApiError} when no attempt can succeed */
  readonly onRejected?: (rejected: Rejected<Name>) => Promise<C>;
}

const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** Time to live deletes late, so the condition checks the expiry. */
const putRecord = ({ id, ...request }: Idempotency, result: unknown): Write => {
  const now = nowInSeconds();
  return putItem(
    { ...idempotencyKey(id), ...request, result, expiresAt: now + keyLifetimeHours * 3_600 },
    'attribute_not_exists(#pk) OR #expiresAt <= :now',
    { now },
  );
};

/** @throws {ApiError} idempotency_key_reused */
const replayOf = <T>(
  { requestDigest }: Idempotency,
  record: Item | undefined,
): Written<T> | undefined => {
  if (!record || record.expiresAt <= nowInSeconds()) return undefined;
  if (record.requestDigest !== requestDigest) throw new ApiError('idempotency_key_reused');
  return { result: record.result, replayed: true };
};

/** An error about the current state, which an earlier request with the same key may have caused. */
const isOfState = (error: unknown): boolean =>
  error instanceof ApiError &&
  errors[error.name].status < 500 &&
  error.name !== 'idempotency_key_reused';

/** At each conflict another writer succeeded, so only many concurrent writers use up these attempts. */
const maxConflicts = 8;

/**
 * Writes at most once per idempotency key. The record of the key is in the transaction of the change, so there is no lock, no "in
 * progress" state, and nothing to clean up when the process dies:
 *
 *     first attempt  ── (reads,) plans, change + record ──>  applied
 *     retry          ── (reads,) plans, change + record ──>  rejected by the record: returns its result
 *     late attempt                   ── change + record ──>  rejected by the record
 *
 * Optimistic concurrency: after a conflict, the next attempt starts from the item that the rejection returned (ALL_OLD), or else
 * from a read. No attempt starts after the deadline, not even the first: Lambda may have frozen the process after the read before
 * it.
 *
 * A request that changes nothing writes only its record, so that a late retry does not undo a later change. Errors are not
 * recorded.
 * @param first the current item for the first attempt
 * @throws {ApiError} idempotency_key_reused, try_again, outcome_unknown, and the errors of `plan` and `onRejected`
 */
export const writeOnce = async <T, C, Name extends string>(
  idempotency: Idempotency | undefined,
  first: C,
  plan: (current: C) => Plan<T, C, Name> | Promise<Plan<T, C, Name>>,
): Promise<Written<T>> => {
  const request = requestContext();
  let current = first;
  try {
    for (let attempts = 0; attempts < maxConflicts; attempts++) {
      if (Date.now() >= (attempts === 0 ? request.deadline : retryDeadline(request))) break;
      const { result, writes, onRejected } = await plan(current);
      const done: Written<T> = { result, replayed: false };
      const key = idempotency && putRecord(idempotency, result);
      if (!writes && !key) return done;
      const rejected = await transact<Name | 'key'>({ ...(writes as Writes<Name>), key });
      if (!rejected) return done;
      if (idempotency && rejected.key) {
        const earlier = replayOf<T>(
          idempotency,
          await currentItem(rejected.key, idempotencyKey(idempotency.id)),
        );
        if (earlier) return earlier;
      }
      if (onRejected) current = await onRejected(rejected);
    }
    throw new ApiError('try_again', undefined, {
      cause: new Error('Conflicts with other writers, until no time or no attempt was left.'),
    });
  } catch (error) {
    // An earlier request with the key may have caused this 404, 409, 412 or 422, so its result takes precedence. Read the record:
    // the error can precede every write, or DynamoDB may not have reported the record's rejection.
    const earlier =
      idempotency && isOfState(error)
        ? replayOf<T>(idempotency, await getItem(idempotencyKey(idempotency.id)))
        : undefined;
    if (earlier) return earlier;
    throw error;
  }
};

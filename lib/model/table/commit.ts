import { randomUUID } from 'node:crypto';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ApiError } from '../../errors.ts';
import { getItem, type Item, type Key, transact, type Write } from './calls.ts';
import { unusedKey } from './keys.ts';
import { checkItem } from './writes.ts';

/** That the condition of one write of a transaction did not hold, and the item for which it did not, where it is shown. */
export interface Rejection {
  readonly item?: Item;
}

/** @throws the error itself when it is not the refusal of a condition */
const rejectionsIn = (error: unknown): (Rejection | undefined)[] => {
  const { CancellationReasons: reasons } = error as { CancellationReasons?: { Code?: string; Item?: Item }[] };
  if (!reasons?.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw error;
  return reasons.map(({ Code, Item }) =>
    Code === 'ConditionalCheckFailed' ? { ...(Item && { item: unmarshall(Item) }) } : undefined,
  );
};

/** @throws {ApiError} outcome_unknown for whatever goes wrong */
const orUnknown = (error: unknown): never => {
  throw new ApiError('outcome_unknown', undefined, { cause: error });
};

/**
 * Whether a transaction was written after all, of which one try went unanswered and a later one was refused: the first
 * may still be on its way, and would be applied when it arrives.
 *
 * So its token is burnt: a transaction that changes nothing goes out under the same one. Accepted, it is the token's only
 * meaning for 10 minutes (API reference, TransactWriteItems, ClientRequestToken), longer than the signature of the late
 * try is taken (5 minutes: IAM user guide, Signature Version 4). A mismatch says that the token has its meaning from the
 * transaction itself; repeating that tells whether it was written. Whether AWS remembers the token of a *cancelled*
 * transaction is not documented; if it does, the repeat is refused again, and the outcome stays unknown.
 * @throws {ApiError} outcome_unknown
 */
const wasWritten = async (writes: Write[], token: string): Promise<boolean> => {
  try {
    await transact([checkItem(unusedKey(token), 'attribute_not_exists(#pk)')], token);
    return false;
  } catch (error) {
    if ((error as Error).name !== 'IdempotentParameterMismatchException') orUnknown(error);
  }
  await transact(writes, token).catch(orUnknown);
  return true;
};

/**
 * Writes all or nothing. Undefined when it was written; otherwise, for each write, its rejection or undefined: at least one
 * is there, but a write without may have failed as well. A refusal is certain: nothing of it is written later either.
 *
 * Even a single write goes as a transaction: the token is the only way to recognise one's own write after a lost answer
 * that still holds when somebody else has written since. A write id on the item would cost half, and lose that race.
 */
export const commit = async (writes: Write[]): Promise<(Rejection | undefined)[] | undefined> => {
  const token = randomUUID();
  let unanswered = false;
  try {
    await transact(writes, token, () => {
      unanswered = true;
    });
    return undefined;
  } catch (error) {
    const rejections = rejectionsIn(error);
    return unanswered && (await wasWritten(writes, token)) ? undefined : rejections;
  }
};

/**
 * The item that a rejection shows, else the item as it is. DynamoDB does not promise to report every condition that failed,
 * so what was not reported, or is not shown, is read consistently before it decides an answer.
 */
export const shown = async (rejection: Rejection | undefined, key: Key): Promise<Item | undefined> =>
  rejection?.item ?? (await getItem(key));

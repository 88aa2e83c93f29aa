import { randomUUID } from 'node:crypto';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ApiError } from '../../errors.ts';
import { getItem, type Item, type Key, sendTransaction, type Write } from './calls.ts';
import { unusedKey } from './keys.ts';
import { checkItem } from './writes.ts';

/** Sent in this order. An undefined write is left out. */
export type Writes<Name extends string> = { readonly [N in Name]?: Write | undefined };

/** `item`: the current item, if DynamoDB returned it. */
interface Rejection {
  readonly item?: Item;
}

/** At least one write. DynamoDB may have rejected others without a report. */
export type Rejected<Name extends string> = { readonly [N in Name]?: Rejection };

/** @throws the error itself when no condition failed */
const rejectedBy = <Name extends string>(
  error: unknown,
  names: readonly Name[],
): Rejected<Name> => {
  // One reason per write, in the order of the writes. No other code depends on positions.
  const { CancellationReasons: reasons } = error as {
    CancellationReasons?: { Code?: string; Item?: Item }[];
  };
  if (!reasons?.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw error;
  const rejections = reasons.flatMap(({ Code, Item }, index) =>
    Code === 'ConditionalCheckFailed'
      ? [[names[index], { ...(Item && { item: unmarshall(Item) }) }]]
      : [],
  );
  return Object.fromEntries(rejections);
};

/** @throws {ApiError} outcome_unknown for any error */
const orUnknown = (error: unknown): never => {
  throw new ApiError('outcome_unknown', undefined, { cause: error });
};

/**
 * Attempt 1 was ambiguous (no response, for example), and a later attempt was rejected. Attempt 1 may still be on its way, and
 * DynamoDB would apply it when it arrives:
 *
 *     attempt 1  ── no response ─────────────────────────────────────────── arrives late?
 *     attempt 2  ─────────────── rejected
 *     check      ────────────────────────── a ConditionCheck that changes nothing, with the same token
 *
 * - If DynamoDB accepts the check, the token belongs to it for 10 minutes (API reference, TransactWriteItems,
 *   ClientRequestToken), and the signature of attempt 1 expires after 5 minutes (IAM user guide, Signature Version 4). So attempt
 *   1 was not written and cannot be applied later.
 * - If DynamoDB returns IdempotentParameterMismatchException, the token belongs to the transaction, which succeeds when it is
 *   sent again if it was written. AWS does not document whether the token of a *canceled* transaction also belongs to it. If so,
 *   DynamoDB rejects it again, and the outcome stays unknown.
 * @throws {ApiError} outcome_unknown
 */
const wasWritten = async (writes: Write[], token: string): Promise<boolean> => {
  try {
    await sendTransaction([checkItem(unusedKey(token), 'attribute_not_exists(#pk)')], token);
    return false;
  } catch (error) {
    if ((error as Error).name !== 'IdempotentParameterMismatchException') orUnknown(error);
  }
  await sendTransaction(writes, token).catch(orUnknown);
  return true;
};

/**
 * Writes all or nothing. If a condition failed, returns the rejected writes: nothing was written, and nothing will be. Throws
 * after any other error.
 *
 * Even a single write is a transaction (cdk/DECISIONS.md, "Why every write is a transaction"). A write id in the item would cost
 * half as much, but the next writer would overwrite it.
 */
export const transact = async <Name extends string>(
  writes: Writes<Name>,
): Promise<Rejected<Name> | undefined> => {
  const names = (Object.keys(writes) as Name[]).filter(name => writes[name] !== undefined);
  const inOrder = names.map(name => writes[name]!);
  const token = randomUUID();
  let ambiguous = false;
  try {
    await sendTransaction(inOrder, token, () => {
      ambiguous = true;
    });
    return undefined;
  } catch (error) {
    const rejected = rejectedBy(error, names);
    return ambiguous && (await wasWritten(inOrder, token)) ? undefined : rejected;
  }
};

/** The read is necessary, because DynamoDB may not report every rejection, and may report a rejection without its item. */
export const currentItem = async (
  rejection: Rejection | undefined,
  key: Key,
): Promise<Item | undefined> => rejection?.item ?? (await getItem(key));

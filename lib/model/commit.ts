import { randomUUID } from 'node:crypto';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, transact, type Write } from './table.ts';

/** Why one write of a transaction was refused: its condition did not hold for this item, or for none at all. */
export interface Rejection {
  readonly item?: Item;
}

/**
 * Writes all or nothing. Undefined when it was written; otherwise, for each write, its rejection or undefined.
 *
 * Even a single write goes as a transaction: the token is the only way to recognise one's own write after a lost answer
 * that still holds when somebody else has written since. A write id on the item would cost half, and lose that race.
 */
export const commit = async (writes: Write[]): Promise<(Rejection | undefined)[] | undefined> => {
  try {
    await transact(writes, randomUUID());
    return undefined;
  } catch (error) {
    const { CancellationReasons: reasons } = error as { CancellationReasons?: { Code?: string; Item?: Item }[] };
    if (!reasons?.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw error;
    return reasons.map(({ Code, Item }) =>
      Code === 'ConditionalCheckFailed' ? { ...(Item && { item: unmarshall(Item) }) } : undefined,
    );
  }
};

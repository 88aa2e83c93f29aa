import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { kindOf } from '../../../lib/model/kinds.ts';
import { type IndexKey, indexes } from '../../../lib/model/table/indexes.ts';
import { note, UsageError } from '../../command.ts';
import { plural } from '../shared/plural.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import type { TableReader } from './table-reader.ts';

/**
 * Writes the key of a new index to the items that lack it. The deployed code already writes it to new items and to items whose
 * partition changes, so the condition keeps a newer key than that of the item that was read, and does not restore a deleted item.
 * The write increments `writeCount`, as every write does. It has no event, because the representation does not change.
 * @param filling has the key of the index, its shards, and the rate in items a second @returns what was done
 */
export const fillIndex = async (
  client: DynamoDBClient,
  table: string,
  reader: TableReader,
  { key, shards, rate }: Readonly<{ key: string; shards: number; rate: number }>,
): Promise<string> => {
  const known = indexes.map(index => index.key as string);
  if (!known.includes(key))
    throw new UsageError(`There is no index with the key ${key}: ${known.join(', ')}`);
  const { wait } = createRateLimit(rate);
  let [items, written] = [0, 0];

  await reader.eachItem(async item => {
    items += 1;
    if (items % 1_000 === 0) note(`${items} items read, ${written} written`);
    const { pk, sk, id } = item;
    const partition = kindOf(sk)?.partitionsOf(item)[key as IndexKey];
    if (partition === undefined || item[key] !== undefined) return;
    await wait();
    const update = new UpdateItemCommand({
      TableName: table,
      Key: marshall({ pk, sk }),
      UpdateExpression: 'SET #key = :key ADD writeCount :one',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#key)',
      ExpressionAttributeNames: { '#key': key },
      ExpressionAttributeValues: marshall({ ':key': `${partition}#${id % shards}`, ':one': 1 }),
    });
    try {
      await client.send(update);
      written += 1;
    } catch (error) {
      if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
    }
  });
  return `${plural(items, 'item')}: ${key} written to ${written} of them.`;
};

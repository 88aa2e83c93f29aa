import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetItemCommand, DescribeTableCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { createRateLimit } from '../shared/rate-limit.ts';
import type { Stored } from './item-faults.ts';
import type { Key } from './ledger.ts';

/** Reads a table, always consistently. */
export interface TableReader {
  /** As DynamoDB counted them at some time within the last six hours. */
  readonly size: () => Promise<{ items: number; bytes: number }>;
  /**
   * Hands over every item, the next when what hears it is done; those that are written meanwhile as they were before or after.
   * @param after the item behind which it begins; the order of items is the same each time
   */
  readonly eachItem: (hear: (item: Stored) => unknown, after?: Key) => Promise<void>;
  /** Those of the keys that are there, by their partition key. */
  readonly read: (keys: readonly Key[]) => Promise<Map<string, Stored>>;
  /** Read request units so far. */
  readonly units: () => number;
}

/** Keys that one BatchGetItem takes. */
const keysPerCall = 100;
/** So small that a page is no burst: some dozens of units. */
const itemsPerPage = 250;

const plain = (item: Parameters<typeof unmarshall>[0]): Stored => unmarshall(item);

/** @param rate read request units a second, over time; the callers of the service need the rest of what the table allows */
export const tableReader = (client: DynamoDBClient, tableName: string, rate: number): TableReader => {
  let units = 0;
  const wait = createRateLimit(rate);
  /** DynamoDB says what a call consumed afterwards, so the next call waits for it. */
  const count = (consumed = 0) => {
    units += consumed;
    wait(consumed);
  };

  const readBatch = async (keys: readonly Key[], hear: (item: Stored) => void) => {
    let wanted: Record<string, unknown>[] = keys.map(key => marshall(key));
    while (wanted.length > 0) {
      await sleep(wait(0));
      const { Responses, UnprocessedKeys, ConsumedCapacity } = await client.send(
        new BatchGetItemCommand({
          RequestItems: { [tableName]: { Keys: wanted as never, ConsistentRead: true } },
          ReturnConsumedCapacity: 'TOTAL',
        }),
      );
      for (const item of Responses?.[tableName] ?? []) hear(plain(item));
      wanted = UnprocessedKeys?.[tableName]?.Keys ?? [];
      count(ConsumedCapacity?.[0]?.CapacityUnits);
    }
  };

  return {
    units: () => units,
    size: async () => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
      return { items: Table?.ItemCount ?? 0, bytes: Table?.TableSizeBytes ?? 0 };
    },
    eachItem: async (hear, after) => {
      let start: Parameters<typeof unmarshall>[0] | undefined;
      if (after) start = marshall({ pk: after.pk, sk: after.sk });
      do {
        await sleep(wait(0));
        const { Items, LastEvaluatedKey, ConsumedCapacity } = await client.send(
          new ScanCommand({
            TableName: tableName,
            ConsistentRead: true,
            Limit: itemsPerPage,
            ReturnConsumedCapacity: 'TOTAL',
            ...(start && { ExclusiveStartKey: start as never }),
          }),
        );
        for (const item of Items ?? []) await hear(plain(item));
        start = LastEvaluatedKey;
        count(ConsumedCapacity?.CapacityUnits);
      } while (start);
    },
    read: async keys => {
      const found = new Map<string, Stored>();
      for (let at = 0; at < keys.length; at += keysPerCall)
        await readBatch(keys.slice(at, at + keysPerCall), item => found.set(item.pk, item));
      return found;
    },
  };
};

import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, type DynamoDBClient, GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Stored } from '../../../lib/model/violation.ts';
import { prices } from '../../config/prices.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import type { Key } from './table-checker.ts';

/** Reads a table with consistent reads. */
export interface TableReader {
  /** Prints what reading all items takes. @returns their number, which DynamoDB counts every six hours */
  readonly estimate: () => Promise<number>;
  /** Hands over every item, one after the other. An item that is written meanwhile comes as before or after the write. */
  readonly eachItem: (take: (item: Stored) => unknown) => Promise<void>;
  /** The items of these keys that exist, by their partition key. */
  readonly read: (keys: readonly Key[]) => Promise<Map<string, Stored>>;
  /** Read request units so far. */
  readonly units: () => number;
}

/** Small, so that a page is no burst: it takes some dozens of units. */
const itemsPerPage = 250;

const plain = (item: Parameters<typeof unmarshall>[0]): Stored => unmarshall(item);

/** @param rate read request units a second on average; the service needs the rest of the table's maximum */
export const tableReader = (client: DynamoDBClient, tableName: string, rate: number): TableReader => {
  let units = 0;
  const wait = createRateLimit(rate);
  /** DynamoDB reports what a call consumed afterwards, so the next call waits for it. */
  const count = (consumed = 0) => {
    units += consumed;
    wait(consumed);
  };

  return {
    units: () => units,
    estimate: async () => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
      const { ItemCount: items = 0, TableSizeBytes: bytes = 0 } = Table ?? {};
      const all = Math.ceil(bytes / 4096 + items * 0.01);
      const duration = Number.isFinite(rate) ? `, about ${Math.ceil(all / rate)} s at ${rate} units a second` : '';
      console.error(
        `${tableName} had ${items} items of ${bytes} bytes in total when DynamoDB last counted them, up to six hours ago. Reading all of them takes about ${all} read request units: $${(all * prices.readRequestUnit).toFixed(6)}${duration}.`,
      );
      return items;
    },
    eachItem: async take => {
      const input = { TableName: tableName, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' } as const;
      for await (const { Items = [], ConsumedCapacity } of paginateScan({ client, pageSize: itemsPerPage }, input)) {
        for (const item of Items) await take(plain(item));
        count(ConsumedCapacity?.CapacityUnits);
        await sleep(wait(0));
      }
    },
    read: async keys => {
      const found = new Map<string, Stored>();
      for (const key of keys) {
        await sleep(wait(0));
        const { Item, ConsumedCapacity } = await client.send(
          new GetItemCommand({
            TableName: tableName,
            Key: marshall(key),
            ConsistentRead: true,
            ReturnConsumedCapacity: 'TOTAL',
          }),
        );
        if (Item) found.set(key.pk, plain(Item));
        count(ConsumedCapacity?.CapacityUnits);
      }
      return found;
    },
  };
};

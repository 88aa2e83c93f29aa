import {
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Stored } from '../../../lib/model/violation.ts';
import { note } from '../../command.ts';
import { prices } from '../../config/prices.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import type { Key } from './table-checker.ts';

const itemsPerPage = 250; // some dozens of units; a larger page would be a burst

const plain = (item: Parameters<typeof unmarshall>[0]): Stored => unmarshall(item);

/** @param rate read request units a second, on average: the service needs the rest of the table's maximum */
export const tableReader = (client: DynamoDBClient, tableName: string, rate: number) => {
  let units = 0;
  const { wait, charge } = createRateLimit(rate);
  /** DynamoDB reports units only after a call, so the next call waits for them. */
  const count = (consumed = 0) => {
    units += consumed;
    charge(consumed);
  };

  return {
    /** Read request units so far. */
    units: () => units,

    /** Prints what reading all items takes. @returns their number, which DynamoDB counts every six hours */
    estimate: async () => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
      const { ItemCount: items = 0, TableSizeBytes: bytes = 0 } = Table ?? {};
      const all = Math.ceil(bytes / 4096 + items * 0.01);
      const duration = Number.isFinite(rate)
        ? `, about ${Math.ceil(all / rate)} s at ${rate} units a second`
        : '';
      note(
        `Reading ${tableName} (${items} items at DynamoDB's last count) for about $${(all * prices.readRequestUnit).toFixed(6)}${duration}`,
      );
      return items;
    },

    /** An item that is written during the scan has its old or its new state. */
    eachItem: async (take: (item: Stored) => unknown): Promise<void> => {
      const input = {
        TableName: tableName,
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      } as const;
      for await (const { Items = [], ConsumedCapacity } of paginateScan(
        { client, pageSize: itemsPerPage },
        input,
      )) {
        for (const item of Items) await take(plain(item));
        count(ConsumedCapacity?.CapacityUnits);
        await wait(0);
      }
    },

    /** By partition key, without items that do not exist. */
    read: async (keys: readonly Key[]): Promise<Map<string, Stored>> => {
      const found = new Map<string, Stored>();
      for (const key of keys) {
        await wait(0);
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
export type TableReader = ReturnType<typeof tableReader>;

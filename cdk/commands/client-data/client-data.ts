import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { toOrder } from '../../../lib/model/order-item.ts';
import { untold } from '../../../lib/model/table/keys.ts';
import type { Order } from '../../../lib/schemas/order.ts';
import type { Stored } from '../audit/check-item.ts';
import { tableReader } from '../audit/table-reader.ts';
import { changeAll, changeEach, erase, ordersOf } from '../shared/owner-orders.ts';
import type { StageTable } from '../shared/stage-table.ts';

/** What the table has of a client: its orders, and for 24 hours what its idempotency keys have created. */

export const exportOrders = async (clientId: string, write: (line: string) => void): Promise<number> => {
  let count = 0;
  for await (const order of ordersOf(clientId)) {
    write(`${JSON.stringify(order)}\n`);
    count += 1;
  }
  return count;
};

export interface Erased {
  readonly orders: readonly Order[];
  readonly records: number;
}

/** Its records are under no index: the whole table is read for them, once, which also finds orders that no index showed. */
const findRest = async ({ client, name }: StageTable, clientId: string, rate: number) => {
  const [records, orders]: [Stored[], Order[]] = [[], []];
  await tableReader(client, name, rate).eachItem(item => {
    if (item.sk === untold && item.ownerId === clientId) records.push(item);
    if (item.sk === 'ORDER' && item.ownerId === clientId) orders.push(toOrder(item));
  });
  return { records, orders };
};

/** @param rate orders a second, and a tenth of the read request units a second */
export const eraseClient = async (
  table: StageTable,
  clientId: string,
  rate: number,
  tell: (text: string) => void,
): Promise<Erased> => {
  const change = {
    change: ({ id }: Order) => erase(id!, clientId),
    rate,
    tell: (count: number) => tell(`${count} orders erased`),
  };
  const listed = await changeAll(clientId, change);
  tell('looking for its idempotency records in the whole table');
  const rest = await findRest(table, clientId, rate * 10);
  for (const { pk, sk } of rest.records)
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: marshall({ pk, sk }) }));
  const unlisted = await changeEach(rest.orders, change);
  return { orders: [...listed, ...unlisted], records: rest.records.length };
};

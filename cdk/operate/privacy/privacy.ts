import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { erase } from '../../../lib/model/owned-orders.ts';
import { untold } from '../../../lib/model/table/keys.ts';
import type { Order } from '../../../lib/schemas/order.ts';
import type { Stored } from '../../audit/item-faults.ts';
import { tableReader } from '../../audit/table-reader.ts';
import { changeAll, ordersOf } from '../owned.ts';
import type { StageTable } from '../stage-table.ts';

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

/** Its records are under no index: the whole table is read for them, once, which also finds what an index had not shown yet. */
const findRest = async ({ client, name }: StageTable, clientId: string, rate: number): Promise<Stored[]> => {
  const found: Stored[] = [];
  await tableReader(client, name, rate).eachItem(item => {
    if ((item.sk === untold && item.caller === clientId) || (item.sk === 'ORDER' && item.owner === clientId))
      found.push(item);
  });
  return found;
};

/** @param rate orders a second, and a tenth of the read request units a second */
export const eraseClient = async (
  table: StageTable,
  clientId: string,
  rate: number,
  tell: (text: string) => void,
): Promise<Erased> => {
  const eraseAll = () =>
    changeAll(
      clientId,
      ({ id }) => erase(id!, clientId),
      rate,
      count => tell(`${count} orders erased`),
    );
  const orders = await eraseAll();
  tell('looking for its idempotency records in the whole table');
  const rest = await findRest(table, clientId, rate * 10);
  const records = rest.filter(({ sk }) => sk === untold);
  for (const { pk, sk } of records)
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: marshall({ pk, sk }) }));
  if (rest.length > records.length) orders.push(...(await eraseAll()));
  return { orders, records: records.length };
};

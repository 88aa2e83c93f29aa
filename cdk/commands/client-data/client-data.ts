import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Stored } from '../../../lib/model/item-invariants.ts';
import { type OrderItem, type Ownership, toOrder } from '../../../lib/model/order-item.ts';
import type { Order } from '../../../lib/schemas/order.ts';
import { tableReader } from '../audit/table-reader.ts';
import { changeEach, eraseOrder, ordersOf } from '../shared/owner-orders.ts';
import type { StageTable } from '../shared/stage-table.ts';

/**
 * The data that the table has about a client or a user: orders, and for 24 hours idempotency records. A record has the
 * response to a request, so it is erased but not exported.
 *
 * The orders of a client are all that were placed through it. The index by owner has those that it owns itself, which are
 * all orders of a machine client. The orders of its users are found by reading the whole table: an index by client would
 * cost every order a write, and only this command would use it.
 */

/** A client, with the orders of its users; or a user, with the orders through any client. */
export interface DataSubject {
  readonly kind: 'client' | 'user';
  readonly id: string;
}

const isOf = ({ kind, id }: DataSubject, { ownerId, clientId }: Ownership) =>
  ownerId === id || (kind === 'client' && clientId === id);

/** @param rate read request units a second. @returns the number of orders */
export const exportOrders = async (
  { client, name }: StageTable,
  subject: DataSubject,
  rate: number,
  write: (line: string) => void,
): Promise<number> => {
  const exported = new Set<number>();
  const add = (order: Order) => {
    if (exported.has(order.id)) return;
    exported.add(order.id);
    write(`${JSON.stringify(order)}\n`);
  };
  for await (const order of ordersOf(subject.id)) add(order);
  if (subject.kind === 'client')
    await tableReader(client, name, rate).eachItem(item => {
      if (item.sk === 'ORDER' && isOf(subject, item as OrderItem)) add(toOrder(item));
    });
  return exported.size;
};

export interface Erased {
  readonly orders: readonly Order[];
  readonly records: number;
}

/**
 * Reads the whole table once: no index has idempotency records, and this also finds orders that the index did not return.
 * A record is found by its owner and client, and a record of staff by the order in its result.
 */
const findRest = async (
  { client, name }: StageTable,
  subject: DataSubject,
  indexed: readonly Order[],
  rate: number,
) => {
  const [records, orders]: [Stored[], OrderItem[]] = [[], []];
  await tableReader(client, name, rate).eachItem(item => {
    if (item.sk === 'IDEMPOTENCY') records.push(item);
    if (item.sk === 'ORDER' && isOf(subject, item as OrderItem)) orders.push(item as OrderItem);
  });
  const ids = new Set([...indexed, ...orders].map(({ id }) => id));
  const isOfOrder = ({ result }: Stored) => result?.petId !== undefined && ids.has(result.id);
  const ofSubject = records.filter(record => isOf(subject, record as Ownership) || isOfOrder(record));
  return { orders, records: ofSubject };
};

/** @param rate orders a second, and a tenth of the read request units a second */
export const eraseData = async (
  table: StageTable,
  subject: DataSubject,
  rate: number,
  report: (text: string) => void,
): Promise<Erased> => {
  const options = { rate, report: (count: number) => report(`${count} orders erased`) };
  const change = ({ id }: Order) => eraseOrder(id, subject.id);
  const indexed = await changeEach(ordersOf(subject.id), { ...options, change });
  report('Reading the whole table for idempotency records and other orders');
  const rest = await findRest(table, subject, indexed, rate * 10);
  for (const { pk, sk } of rest.records)
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: marshall({ pk, sk }) }));
  const found = await changeEach(rest.orders, { ...options, change: ({ id, ownerId }) => eraseOrder(id, ownerId) });
  return { orders: [...indexed, ...found], records: rest.records.length };
};

import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type OrderItem, type Ownership, toOrder } from '../../lib/model/order-item.ts';
import { commandOf, count, flag, note, print, runMain, text, UsageError } from '../command.ts';
import { tableReader } from './audit/table-reader.ts';
import { plural } from './shared/plural.ts';
import { createRateLimit } from './shared/rate-limit.ts';
import { openTable, tableOptions, tableUsage, useModel } from './shared/stage-table.ts';

const usage = `npm run client-data -- export (--client ID | --user SUB) --stage NAME
npm run client-data -- erase (--client ID | --user SUB) --stage NAME [--yes]
npm run client-data -- move (--client ID | --user SUB) --to ID --stage NAME [--yes]
It reads the whole table. You can interrupt it and run it again. Delete a client before you erase its data. Otherwise it
can order again: aws cognito-idp delete-user-pool-client. Its tokens stay valid until they expire, or until the setting
tokensValidFrom ends them.
  export           writes the orders to stdout as JSON Lines, as the API returns them
  erase            deletes them permanently, with the idempotency records; open orders return their units
  move             gives them to another client or user, after a move to a region or a pool where ids are new
  --client ID      all orders placed through a client, also those of its users
  --user SUB       the orders of a user of your user pool, by the claim sub, through any client
${tableUsage}
  --rate N         orders and idempotency records a second, and a tenth of the read units a second (default 5: some 70
                   write units)
  --yes            does it. Without it, erase and move print what they would do, and change nothing`;

const own = { client: text, user: text, to: text, rate: { ...text, default: '5' }, yes: flag };
const definition = {
  usage,
  options: { ...tableOptions, ...own },
  most: 1,
  failure: 'The data could not be read or changed',
};

export const command = commandOf(definition, async (values, [verb = '']) => {
  const { client, user, to, yes } = values;
  if (!['export', 'erase', 'move'].includes(verb)) throw new UsageError('export, erase or move?');
  if ((client === undefined) === (user === undefined))
    throw new UsageError('Whose data? --client ID or --user SUB');
  if ((verb === 'move') !== (to !== undefined))
    throw new UsageError('To whom? --to ID goes with move, and move with it.');
  const id = client ?? user!;
  const rate = count('rate', values.rate, 9_999);
  const isOfSubject = ({ ownerId, clientId }: Ownership) =>
    ownerId === id || (client !== undefined && clientId === client);

  const table = await openTable(values);
  await useModel(table);
  const { changeOwner, eraseOrder, retried } = await import('./shared/owner-orders.ts');

  const orders: OrderItem[] = [];
  const allRecords: { pk: string; sk: string; result?: { id: number; petId?: number } }[] = [];
  await tableReader(table.client, table.name, rate * 10).eachItem(item => {
    if (item.sk === 'ORDER' && isOfSubject(item as OrderItem)) orders.push(item as OrderItem);
    if (item.sk === 'IDEMPOTENCY') allRecords.push(item as (typeof allRecords)[number]);
  });
  if (verb === 'export') for (const order of orders) print(JSON.stringify(toOrder(order)));
  const ids = new Set(orders.map(order => order.id));
  // A record of a request by staff can contain a copy of the subject's order.
  const owned = allRecords.filter(
    ({ result, ...record }) =>
      isOfSubject(record as never) || (result?.petId !== undefined && ids.has(result.id)),
  );
  const records = plural(owned.length, 'idempotency record');
  const open = orders.filter(({ complete }) => !complete).length;
  const found = `${plural(orders.length, 'order')} of ${id} (${open} open), and ${records}`;
  note(`${table.name} has ${found}.`);
  if (verb === 'export') return;
  if (!yes) return note('Nothing was changed. Run it again with --yes to do it.');

  const { wait } = createRateLimit(rate);
  const change = (order: OrderItem) =>
    verb === 'erase'
      ? eraseOrder(order.id, order.ownerId)
      : changeOwner(order.id, order.ownerId, (former: string) => (former === id ? to! : former));
  // Records first, because a second run finds those of staff only through the orders.
  if (verb === 'erase')
    for (const { pk, sk } of owned) {
      await wait();
      await table.client.send(
        new DeleteItemCommand({ TableName: table.name, Key: marshall({ pk, sk }) }),
      );
    }
  let changed = 0;
  for (const order of orders) if (await retried(() => change(order), wait)) changed += 1;
  const done = verb === 'erase' ? `erased, with ${records}` : `moved to ${to}`;
  print(`${plural(changed, 'order')}: ${done}.`);
});

if (import.meta.main) await runMain(command);

import type { OrderItem } from '../../../lib/model/order-item.ts';
import { prices } from '../../config/prices.ts';
import { tableReader } from '../audit/table-reader.ts';
import { commandOf } from '../shared/command.ts';
import { openTable, tableOptions, tableUsage, useModel } from '../shared/stage-table.ts';

const usage = `npm run orders:reassign -- --map OLD=NEW [--map OLD=NEW …] (--stage NAME | --table NAME --shards N) [--rate N] [--yes]
Replaces ids of clients and users on orders: a move to another region or user pool creates clients and users with new ids.
Without --yes it prints what it would do and the cost, and changes nothing. Run it again after an interruption: it
continues.
  --map OLD=NEW    a former client id and its new one, or the former sub of a user and the new one
${tableUsage}
  --rate N         orders a second (default 10: some 100 write units)
  --yes            does it
  --help           prints this`;

const { count, fail, misused, readOptions, run } = commandOf(usage);
const { values: options } = readOptions({
  ...tableOptions,
  map: { type: 'string', multiple: true, default: [] as string[] },
  rate: { type: 'string', default: '10' },
  yes: { type: 'boolean', default: false },
});
const rate = count('rate', options.rate, 9_999);
const moves = options.map.map(text => {
  const [, old, next] =
    /^([\w+-]{1,128})=([\w+-]{1,128})$/.exec(text) ?? misused(`--map ${text} is not OLD=NEW, two ids.`);
  return { old: old!, next: next! };
});
if (moves.length === 0) misused('Whose orders go to whom? --map OLD=NEW');
const olds = new Set(moves.map(({ old }) => old));
if (olds.size < moves.length) fail('An id is named twice as OLD: it can have only one new id.');
for (const { next } of moves)
  if (olds.has(next))
    fail(
      `${next} is both OLD and NEW: after an interruption, its own orders and the reassigned ones would look the same.`,
    );

const report = (text: string) => console.error(text);

await run(async () => {
  const table = await openTable(options);
  await useModel(table);
  const { changeEach, ordersOf, reassignOrder } = await import('../shared/owner-orders.ts');
  const newIds = new Map(moves.map(({ old, next }) => [old, next]));

  let total = 0;
  for (const { old, next } of moves) {
    let count = 0;
    for await (const _ of ordersOf(old)) count++;
    report(`${table.name} has ${count} orders of ${old}; they go to ${next}`);
    total += count;
  }
  // An order and two index entries that change their partition, each of which is deleted and put.
  const writes = total * 10;
  report(
    `This takes some ${writes} write request units: $${(writes * prices.writeRequestUnit).toFixed(4)}, about ${Math.ceil(total / rate)} s. Then it reads the whole table for orders that users placed through these clients, which are not counted here.`,
  );
  if (!options.yes) return report('Nothing was changed. Run it again with --yes to reassign.');

  const pace = { rate, report: (count: number) => report(`${count} orders reassigned`) };
  let reassigned = 0;
  for (const { old } of moves)
    reassigned += (await changeEach(ordersOf(old), { ...pace, change: ({ id }) => reassignOrder(id, old, newIds) }))
      .length;
  // Also those that the index did not return yet.
  const others: OrderItem[] = [];
  await tableReader(table.client, table.name, rate * 10).eachItem(item => {
    if (item.sk === 'ORDER' && (newIds.has(item.ownerId) || newIds.has(item.clientId))) others.push(item as OrderItem);
  });
  const change = ({ id, ownerId }: OrderItem) => reassignOrder(id, ownerId, newIds);
  reassigned += (await changeEach(others, { ...pace, change })).length;
  console.log(`Reassigned: ${reassigned} orders.`);
}, 'Orders could not be reassigned');

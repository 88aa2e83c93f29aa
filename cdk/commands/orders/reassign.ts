import { prices } from '../../config/prices.ts';
import { commandOf } from '../shared/command.ts';
import { openTable, tableOptions, tableUsage, useModel } from '../shared/stage-table.ts';

const usage = `npm run orders:reassign -- --map OLD=NEW [--map OLD=NEW …] (--stage NAME | --table NAME --shards N) [--rate N] [--yes]
Gives all orders of some clients to others: a move to another region or user pool creates clients with new ids. Without
--yes it prints what it would do and the cost, and changes nothing. Run it again after an interruption: it continues.
  --map OLD=NEW    the id of a former client, and the id of the client that replaces it
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
    /^([\w+]{1,128})=([\w+]{1,128})$/.exec(text) ?? misused(`--map ${text} is not OLD=NEW, two client ids.`);
  return { old: old!, next: next! };
});
if (moves.length === 0) misused('Whose orders go to whom? --map OLD=NEW');
const olds = new Set(moves.map(({ old }) => old));
if (olds.size < moves.length) fail('A client is named twice as OLD: all its orders go to one.');
for (const { next } of moves)
  if (olds.has(next))
    fail(`${next} is both OLD and NEW: which of its orders are whose could not be told apart any more.`);

const tell = (text: string) => console.error(text);

await run(async () => {
  const table = await openTable(options);
  await useModel(table);
  const { changeAll, handOver, ordersOf } = await import('../shared/owner-orders.ts');

  let total = 0;
  for (const { old, next } of moves) {
    let count = 0;
    for await (const _ of ordersOf(old)) count++;
    tell(`${table.name} has ${count} orders of ${old}, which go to ${next}`);
    total += count;
  }
  // An order, and two index entries that change their partition, each of them deleted and put.
  const writes = total * 10;
  tell(
    `That takes some ${writes} write request units: $${(writes * prices.writeRequestUnit).toFixed(4)}, about ${Math.ceil(total / rate)} s.`,
  );
  if (!options.yes) return tell('Nothing was changed. Do it: the same with --yes');
  for (const { old, next } of moves) {
    const moved = await changeAll(old, {
      change: ({ id }) => handOver(id!, old, next),
      rate,
      tell: count => tell(`${count} orders of ${old}`),
    });
    console.log(`Moved: ${moved.length} orders of ${old} to ${next}.`);
  }
}, 'Orders could not be moved');

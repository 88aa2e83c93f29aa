import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { prices } from '../../config/prices.ts';
import { commandOf } from '../shared/command.ts';
import { openTable, tableOptions, tableUsage, useModel } from '../shared/stage-table.ts';

const usage = `npm run client-data -- export --client ID (--stage NAME | --table NAME --shards N)
npm run client-data -- erase --client ID (--stage NAME | --table NAME --shards N) [--rate N] [--yes]
  export           writes the orders of a client to stdout as JSON Lines, as the API returns them
  erase            deletes them permanently, with the client's idempotency records; open orders return their units.
                   Without --yes it prints what it would do and the cost, and changes nothing
  --client ID      the client's id, which is the owner of its orders: the stack's output ShopClientId, for example
${tableUsage}
  --rate N         orders a second (default 5: some 70 write units)
  --yes            does it; export needs none
  --help           prints this
Delete the client first, or it can order again: aws cognito-idp delete-user-pool-client. Its tokens stay valid until they
expire.`;

const { count, misused, readOptions, run } = commandOf(usage);
const { values: options, positionals } = readOptions(
  {
    ...tableOptions,
    client: { type: 'string' },
    rate: { type: 'string', default: '5' },
    yes: { type: 'boolean', default: false },
  },
  { allowPositionals: true },
);
const [verb = ''] = positionals;
if (!['export', 'erase'].includes(verb) || positionals.length !== 1) misused('export or erase?');
const clientId = options.client ?? misused('Whose? --client ID');
const rate = count('rate', options.rate, 9_999);
const tell = (text: string) => console.error(text);

await run(
  async () => {
    const table = await openTable(options);
    await useModel(table);
    const { eraseClient, exportOrders } = await import('./client-data.ts');

    if (verb === 'export') {
      const count = await exportOrders(clientId, line => process.stdout.write(line));
      return tell(`${count} orders of ${clientId} in ${table.name}`);
    }

    const { ordersOf } = await import('../shared/owner-orders.ts');
    let [open, complete] = [0, 0];
    for await (const order of ordersOf(clientId)) order.complete ? complete++ : open++;
    const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.name }));
    const units = Math.ceil((Table?.TableSizeBytes ?? 0) / 4096);
    // An order and its index entries, twice because it is a transaction; an open one is marked first, and its pet written.
    const writes = open * 14 + complete * 6;
    const cost = units * prices.readRequestUnit + writes * prices.writeRequestUnit;
    tell(
      `${table.name} has ${open + complete} orders of ${clientId}: ${open} open, ${complete} complete. To erase them, and its idempotency records, for which the whole table is read, takes some ${writes} write and ${units} read request units: $${cost.toFixed(4)}, about ${Math.ceil((open + complete) / rate)} s and the reading.`,
    );
    if (!options.yes) return tell('Nothing was changed. Do it: the same with --yes');
    const { orders, records } = await eraseClient(table, clientId, rate, tell);
    const returned = orders.filter(order => !order.complete).length;
    console.log(
      `Erased: ${orders.length} orders (${returned} were open, and their units are free again), ${records} idempotency records.`,
    );
  },
  `What there is of ${clientId} could not be ${verb === 'export' ? 'exported' : 'erased'}`,
);

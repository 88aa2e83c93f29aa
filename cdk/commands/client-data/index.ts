import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { prices } from '../../config/prices.ts';
import { commandOf } from '../shared/command.ts';
import { openTable, tableOptions, tableUsage, useModel } from '../shared/stage-table.ts';
import type { DataSubject } from './client-data.ts';

const usage = `npm run client-data -- export (--client ID | --user SUB) (--stage NAME | --table NAME --shards N) [--rate N]
npm run client-data -- erase (--client ID | --user SUB) (--stage NAME | --table NAME --shards N) [--rate N] [--yes]
  export           writes the orders to stdout as JSON Lines, as the API returns them
  erase            deletes them permanently, with the idempotency records; open orders return their units.
                   Without --yes it prints what it would do and the cost, and changes nothing
  --client ID      all orders placed through a client: the stack's output ShopClientId, for example
  --user SUB       the orders of a user of your user pool, by the claim sub
${tableUsage}
  --rate N         orders a second, and a tenth of the read units a second (default 5: some 70 write units)
  --yes            does it; export needs none
  --help           prints this
Delete the client first, or it can order again: aws cognito-idp delete-user-pool-client. Its tokens stay valid until they
expire, or until the setting tokensValidFrom ends them.`;

const { count, misused, readOptions, run } = commandOf(usage);
const { values: options, positionals } = readOptions(
  {
    ...tableOptions,
    client: { type: 'string' },
    user: { type: 'string' },
    rate: { type: 'string', default: '5' },
    yes: { type: 'boolean', default: false },
  },
  { allowPositionals: true },
);
const [verb = ''] = positionals;
if (!['export', 'erase'].includes(verb) || positionals.length !== 1) misused('export or erase?');
const { client, user } = options;
if ((client === undefined) === (user === undefined)) misused('Whose data? --client ID or --user SUB');
const subject: DataSubject = client === undefined ? { kind: 'user', id: user! } : { kind: 'client', id: client };
const subjectText = `the ${subject.kind} ${subject.id}`;
const rate = count('rate', options.rate, 9_999);
const report = (text: string) => console.error(text);

await run(
  async () => {
    const table = await openTable(options);
    await useModel(table);
    const { eraseData, exportOrders } = await import('./client-data.ts');

    if (verb === 'export') {
      const count = await exportOrders(table, subject, rate * 10, line => process.stdout.write(line));
      return report(`${count} orders of ${subjectText} in ${table.name}`);
    }

    const { ordersOf } = await import('../shared/owner-orders.ts');
    let [open, complete] = [0, 0];
    for await (const order of ordersOf(subject.id)) order.complete ? complete++ : open++;
    const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.name }));
    const units = Math.ceil((Table?.TableSizeBytes ?? 0) / 4096);
    // An order and its index entries, twice because it is a transaction; an open one is marked first, and its pet written.
    const writes = open * 14 + complete * 6;
    const cost = units * prices.readRequestUnit + writes * prices.writeRequestUnit;
    report(
      `${table.name} has ${open + complete} orders of ${subjectText}: ${open} open, ${complete} complete. Erasing them takes some ${writes} write request units, and reading the whole table for idempotency records ${units} read request units: $${cost.toFixed(4)}, about ${Math.ceil((open + complete) / rate)} s and the time of reading.`,
    );
    if (subject.kind === 'client')
      report('Orders of its users are not counted here: only reading the table finds them.');
    if (!options.yes) return report('Nothing was changed. Run it again with --yes to erase.');
    const { orders, records } = await eraseData(table, subject, rate, report);
    const returned = orders.filter(order => !order.complete).length;
    console.log(
      `Erased: ${orders.length} orders (${returned} were open, and their units are available again), ${records} idempotency records.`,
    );
  },
  `The data of ${subjectText} could not be ${verb === 'export' ? 'exported' : 'erased'}`,
);

import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { commandOf, text } from '../command.ts';
import { limits } from '../config/limits.ts';
import type { QueryName } from '../config/log-queries.ts';
import { tableReader } from './audit/table-reader.ts';
import { columns, withSafeIds } from './import/rows.ts';
import { rowsOfApi, timeOfWrites } from './import/rows-of-api.ts';
import { rowsOfTable } from './import/rows-of-table.ts';
import { isSheet, writeSheet } from './import/sheet.ts';
import { apiOptions, apiUsage, findApi, isLocal, openPetstore } from './shared/api.ts';
import { createRateLimit } from './shared/rate-limit.ts';
import { openStage } from './shared/stage.ts';
import { openTable } from './shared/stage-table.ts';

// Half the throttle of the slowest list, because callers have the other half.
const lists = ['listPets', 'listInventory', 'listCategories', 'listOrders'] as const;
const defaultRate = Math.min(...lists.map(id => limits[id].rate)) / 2;

const usage = `npm run export -- FILE.xlsx|FILE.csv [--stage NAME] [--table NAME] [--rate N]
Writes the catalog to a file that npm run import reads: ${columns} of each pet.
quantity is what can still be ordered, reserved the units in open orders; on the shelf are both. status is what staff
decided: available is for sale as soon as it has a unit, pending and sold are on hold. Change the other cells, never id,
reserved and revision: they say which pet it is, what it was, and when it was exported.
The client needs the scope inventory, and orders.manage for reserved; --table needs the role of operators and no client.
  FILE             .xlsx for spreadsheets, .csv for programs: a spreadsheet changes texts such as 007 in CSV, and npm
                   run import then refuses them. An existing file is replaced
  --table NAME     the catalog in a restored copy of the table, to repair some pets (cdk/RUNBOOK.md): each quantity
                   as it was, less the orders since
  --rate N         requests a second (default ${defaultRate}; with --local no limit)
${apiUsage}`;

const { count, misused, readOptions, run } = commandOf(usage);
const { values, positionals } = readOptions(
  { ...apiOptions, table: text, rate: text },
  { allowPositionals: true },
);
const [file = misused('Which file? npm run export -- FILE.xlsx')] = positionals;
if (!isSheet(file)) misused(`${file} does not end with .xlsx or .csv.`);
const rate = values.rate
  ? count('rate', values.rate)
  : isLocal(values)
    ? Number.POSITIVE_INFINITY
    : defaultRate;

const restored = async (table: string) => {
  const own = await openTable({ ...values, table: undefined });
  const url = (await openStage(values)).output('ApiUrl');
  const time = await timeOfWrites(url);
  const { Table } = await own.client.send(new DescribeTableCommand({ TableName: table }));
  const moment = Table?.RestoreSummary?.RestoreDateTime?.toISOString();
  console.log(`${table} has the state of ${moment ?? 'an unknown time: it is no restored table'}.
Not taken into account: orders erased since, and counts by staff (npm run query: '${'Changed resources by client' satisfies QueryName}').`);
  return rowsOfTable(
    tableReader(own.client, table, 100),
    tableReader(own.client, own.name, 100),
    time,
  );
};

await run(async () => {
  const { wait } = createRateLimit(rate);
  const listed = () =>
    findApi(values).then(async api => rowsOfApi(await openPetstore(api), api.url, wait));
  const rows = await (values.table ? restored(values.table) : listed());
  const hasReserved = rows.length === 0 || rows.some(({ reserved }) => reserved !== undefined);
  await writeSheet(
    file,
    hasReserved ? columns : columns.filter(column => column !== 'reserved'),
    rows.map(withSafeIds),
  );
  console.log(`${rows.length} pets are in ${file}.`);
});

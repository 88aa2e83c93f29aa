import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { commandOf, count, print, runMain, text, UsageError, type Values } from '../command.ts';
import { limits } from '../config/limits.ts';
import type { QueryName } from '../config/log-queries.ts';
import { tableReader } from './audit/table-reader.ts';
import { columns, withSafeIds } from './import/cells.ts';
import { rowsOfApi } from './import/rows-of-api.ts';
import { rowsOfTable } from './import/rows-of-table.ts';
import { apiOptions, apiUsage, findApi, isLocal, openPetstore } from './shared/api.ts';
import { plural } from './shared/plural.ts';
import { createRateLimit } from './shared/rate-limit.ts';
import { isSheet, writeSheet } from './shared/sheet.ts';
import { openTable } from './shared/stage-table.ts';

// Half the throttle of the slowest list, because callers have the other half.
const lists = ['listPets', 'listInventory', 'listCategories'] as const;
const defaultRate = Math.min(...lists.map(id => limits[id].rate)) / 2;

const usage = `npm run export -- FILE.xlsx|FILE.csv [--stage NAME] [--table NAME] [--rate N]
Writes the catalog to a file that npm run import reads: ${columns} of each pet.
stock counts all units in the shop; reserved says how many of them are in open orders. status is what staff decided:
available is for sale as soon as it has a unit, pending and sold are on hold. Change the other cells, never id, reserved
and revision: they say which pet it is, and what it was.
The client needs the scope inventory.read; --table needs the role of operators and no client.
  FILE             .xlsx for spreadsheets, .csv for programs: a spreadsheet changes texts such as 007 in CSV, and npm
                   run import then refuses them. An existing file is replaced
  --table NAME     the pets as they are in a restored copy of the table, to repair some of them (cdk/RUNBOOK.md). The
                   stock is less the orders completed since. A pet that was deleted since is left out
  --rate N         requests a second (default ${defaultRate}; with --local no limit)
${apiUsage}`;

const options = { ...apiOptions, table: text, rate: text } as const;

const restored = async (values: Values<typeof options>, table: string) => {
  const own = await openTable({ ...values, table: undefined });
  const { Table } = await own.client.send(new DescribeTableCommand({ TableName: table }));
  const moment = Table?.RestoreSummary?.RestoreDateTime?.toISOString();
  print(`${table} has the state of ${moment ?? 'an unknown time: it is no restored table'}.
Not taken into account: complete orders erased since, and stock set by staff (npm run query: '${'Changed resources by client' satisfies QueryName}').`);
  return rowsOfTable(tableReader(own.client, table, 100), tableReader(own.client, own.name, 100));
};

export const command = commandOf({ usage, options, most: 1 }, async (values, [file]) => {
  if (file === undefined) throw new UsageError('Which file? npm run export -- FILE.xlsx');
  if (!isSheet(file)) throw new UsageError(`${file} does not end with .xlsx or .csv.`);
  const unlimited = isLocal(values) ? Number.POSITIVE_INFINITY : defaultRate;
  const rate = values.rate ? count('rate', values.rate) : unlimited;
  const { wait } = createRateLimit(rate);
  const listed = async () =>
    rowsOfApi(await openPetstore(await findApi(values), ['inventory.read']), wait);
  const rows = await (values.table ? restored(values, values.table) : listed());
  await writeSheet(file, columns, rows.map(withSafeIds));
  print(`Wrote ${plural(rows.length, 'pet')} to ${file}.`);
});

if (import.meta.main) await runMain(command);

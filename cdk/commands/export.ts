import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { commandOf, text } from '../command.ts';
import { limits } from '../config/limits.ts';
import type { QueryName } from '../config/log-queries.ts';
import { tableReader } from './audit/table-reader.ts';
import { openCatalog } from './import/change-pet.ts';
import { columns, revisionCell, revisionOf, toCell } from './import/rows.ts';
import { rowsOfTable } from './import/rows-of-table.ts';
import { isSheet, writeSheet } from './import/sheet.ts';
import { apiOptions, apiUsage, findApi, isLocal, listAll, openPetstore } from './shared/api.ts';
import { createRateLimit } from './shared/rate-limit.ts';
import { openStage } from './shared/stage.ts';
import { openTable } from './shared/stage-table.ts';

// Half the throttle of the slowest list, because callers have the other half.
const defaultRate = Math.min(limits.listPets.rate, limits.listInventory.rate, limits.listCategories.rate) / 2;

const usage = `npm run export -- FILE.xlsx|FILE.csv [--stage NAME] [--table NAME] [--rate N]
Writes the catalog to a file that npm run import reads: ${columns} of each pet.
The quantity is what can still be ordered, without units in open orders. Change the other cells, never id and revision: they
say which pet it is, what it was, and when it was exported.
The client needs the scope inventory; --table needs the role of operators and no client.
  FILE             .xlsx for spreadsheets, .csv for programs: a spreadsheet changes texts such as 007 in CSV, and npm run import
                   then refuses them. An existing file is replaced
  --table NAME     the catalog in a restored copy of the table, to repair some pets (cdk/RUNBOOK.md): each quantity as it was,
                   less the orders since
  --rate N         requests a second (default ${defaultRate}; with --local no limit)
${apiUsage}`;

const { count, misused, readOptions, run } = commandOf(usage);
const { values, positionals } = readOptions({ ...apiOptions, table: text, rate: text }, { allowPositionals: true });
const [file = misused('Which file? npm run export -- FILE.xlsx')] = positionals;
if (!isSheet(file)) misused(`${file} does not end with .xlsx or .csv.`);
const rate = values.rate ? count('rate', values.rate) : isLocal(values) ? Number.POSITIVE_INFINITY : defaultRate;

/** The time of the API's clock, which is in the ids of its orders. */
const timeAt = async (url: string): Promise<number> => {
  const date = Date.parse((await fetch(url, { method: 'HEAD' }).catch(() => undefined))?.headers.get('Date') ?? '');
  // The header has whole seconds, so this machine's clock is used if it agrees. A wrong one could hide orders from the import.
  return Math.abs(Date.now() - date - 500) > 1_000 ? date : Date.now();
};

const restored = async (table: string) => {
  const own = await openTable({ ...values, table: undefined });
  const time = await timeAt((await openStage(values)).output('ApiUrl'));
  const { Table } = await own.client.send(new DescribeTableCommand({ TableName: table }));
  const moment = Table?.RestoreSummary?.RestoreDateTime?.toISOString();
  console.log(`${table} has the state of ${moment ?? 'an unknown time: it is no restored table'}.
Not taken into account: orders erased since, and counts by staff (npm run query: '${'Changed resources by client' satisfies QueryName}').`);
  return rowsOfTable(tableReader(own.client, table, 100), tableReader(own.client, own.name, 100), time);
};

const listed = async () => {
  const api = await findApi(values);
  const petstore = await openPetstore(api);
  const { wait: turn } = createRateLimit(rate);
  const time = await timeAt(api.url);
  // After this, an order with an earlier id is written, or never will be. The import subtracts those with later ids.
  if (api.url.startsWith('https:')) await sleep(limits.placeOrder.timeout * 1_000);
  const pets = await listAll<{ id: number; categoryId: number }>(petstore, '/pets', {}, turn);
  const inventory = await listAll<{ petId: number; quantity: number }>(petstore, '/store/inventory', {}, turn);
  const stocks = new Map(inventory.map(({ petId, ...stock }) => [petId, stock]));
  const catalog = await openCatalog(petstore, turn);
  const rows: Record<string, unknown>[] = [];
  // Oldest first, so that an import creates the pets in the same order.
  for (const { id, categoryId, ...fields } of pets.reverse()) {
    const stock = stocks.get(id);
    const known = stock && { ...fields, category: await catalog.nameOf(categoryId), ...stock };
    // Lists are eventually consistent, so a pet without stock is read by its id. Undefined: it was deleted since the list.
    const pet = known ?? (await turn().then(() => catalog.read(id)))?.values;
    if (pet) rows.push({ ...pet, id: toCell(id), revision: revisionCell(revisionOf(id, pet), time) });
  }
  return rows;
};

await run(async () => {
  const rows = await (values.table ? restored(values.table) : listed());
  await writeSheet(file, columns, rows);
  console.log(`${rows.length} pets are in ${file}.`);
});

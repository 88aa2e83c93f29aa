import { existsSync } from 'node:fs';
import { commandOf, count, flag, note, print, runMain, text, UsageError } from '../../command.ts';
import { limits } from '../../config/limits.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { apiOptions, apiUsage, explain, findApi, isLocal, openPetstore } from '../shared/api.ts';
import { plural } from '../shared/plural.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { isXlsx } from '../shared/sheet.ts';
import { Refusal } from './catalog.ts';
import { columns, toCell } from './cells.ts';
import { changeRow } from './change.ts';
import { checkpointPathOf } from './checkpoint.ts';
import { createRow } from './create.ts';
import { contentOf, type Import, isUnedited, openImport, planOf } from './plan.ts';
import { type Row, readRows } from './rows.ts';
import { undo } from './undo.ts';
import { textOf } from './writes.ts';

type Outcome = 'created' | 'changed' | 'unchanged' | 'refused';

const usage = `npm run import -- FILE [--stage NAME] [--dry-run] [--create-duplicates] [--rate N]
       npm run import -- FILE --undo [--stage NAME] [--dry-run]
Creates and changes pets. Export, correct the file in a spreadsheet, import it: a row with an id changes the cells of
that pet that you changed. A row without an id creates a pet, in a category that it finds by name or creates. A pet that
is not in the file stays. FILE.HOST.checkpoint has what was done: after an interruption, run the same command again.
The client needs the scopes catalog and inventory. Exit code 1: rows were refused, or pets stay after --undo.
  FILE             .xlsx (for spreadsheets) or CSV, with a header row:
                   ${columns}.
                   A new pet needs name and category alone. stock counts all units in the shop, those in open orders
                   included: for a delivery or a stock-take, export, and enter what is there. Orders and cancellations
                   since do not matter. If units have left or reached the shelf since, the import says so, and refuses
                   the stock: count again. It cannot see one case: since the export, somebody set the stock by the API,
                   and as many units have gone. status is what you decide: available is for sale as soon as it has a
                   unit, pending and sold are on hold (sold not without a unit)
  --sheet NAME     another sheet of the .xlsx file than its first visible one
  --dry-run        prints what would happen, and writes nothing
  --create-duplicates
                   creates pets whose name and category exist already, and categories that look like others
  --undo           takes back the import of FILE, which can then be imported again. Created pets are deleted, unless
                   somebody ordered or changed them. Changed pets get their former cells, unless somebody changed them
                   since, and their stock changes back by as many units, whatever was sold since
  --rate N         rows a second (default ${limits.createPet.rate}: the throttle of createPet; with --local 1000). A new pet takes 1 to 4
                   requests, a changed one 2 to 6, any other none. 5,000 new pets take ${Math.ceil(5_000 / limits.createPet.rate / 60)} min
  --yes            of npm run seed: also into a store that has pets
${apiUsage}`;

const flags = { 'dry-run': flag, 'create-duplicates': flag, undo: flag, yes: flag };
const definition = {
  usage,
  options: { ...apiOptions, rate: text, sheet: text, ...flags },
  most: 1,
};

/** Creates or changes the pet of a row. */
const take = async (row: Row, context: Import, wait: () => Promise<void>): Promise<Outcome> => {
  const { line, id, key, values } = row;
  const { checkpoint } = context;
  if (isUnedited(row)) return 'unchanged';
  // A dry run sends no request for a new pet.
  if (id !== undefined || !context.options.isDryRun) await wait();
  try {
    const outcome =
      id === undefined ? await createRow(row, context) : await changeRow(row, context);
    if (outcome !== 'unchanged') checkpoint.note(key, { done: contentOf(row) });
    return outcome;
  } catch (error) {
    const progress = checkpoint.of(key);
    const petId = progress.id ?? id;
    const cell = petId === undefined ? '' : `${toCell(petId)} `;
    const name = `line ${line}: ${cell}${progress.before.name ?? values.name ?? ''}`;
    if (!(error instanceof Refusal)) {
      note(`${name} may be incomplete. To continue, run the same command again.`);
      throw error;
    }
    const isCreated = id === undefined && petId !== undefined;
    const done = await textOf(context, progress);
    print(
      `${name}: ${isCreated ? 'created, then ' : ''}refused, ${error.message}${done && `; the import has set ${done}`}`,
    );
    // What it still lacks, somebody else has decided.
    if (isCreated && !progress.isUnclear) checkpoint.note(key, { done: contentOf(row) });
    return 'refused';
  }
};

/** @returns the exit code */
const importAll = async (rows: readonly Row[], context: Import, wait: () => Promise<void>) => {
  const left = await planOf(rows, context);
  const counts: Record<Outcome, number> = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  for (const [index, row] of left.entries()) {
    counts[await take(row, context, wait)] += 1;
    if (index % 100 === 99) note(`${left.length - index - 1} left`);
  }
  const before = rows.length - left.length;
  const outcomes = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  print(
    `${plural(rows.length, 'row')}: ${outcomes.join(', ')}${before > 0 ? `; ${before} were imported before` : ''}`,
  );
  return counts.refused > 0 ? 1 : 0;
};

export const command = commandOf(definition, async (options, [file]) => {
  if (file === undefined) throw new UsageError('Which file? npm run import -- FILE');
  const { 'dry-run': isDryRun, 'create-duplicates': createsDuplicates } = options;
  if (options.undo && createsDuplicates)
    throw new UsageError('--undo goes with no other way to import.');
  const defaultRate = isLocal(options) ? 1_000 : limits.createPet.rate;
  const rate = options.rate ? count('rate', options.rate) : defaultRate;
  const rows = options.undo ? [] : await readRows(file, options.sheet);
  const api = await findApi(options);
  const petstore = await openPetstore(api, ['catalog', 'inventory']);
  if (file.endsWith('import/sample.csv') && !isLocal(options) && !options.yes) {
    const some = await explain(
      'The pets',
      orThrow(petstore.GET('/pets', { params: { query: { limit: 1 } } })),
    );
    if (some.length > 0) throw new Error('The store has pets. To add those of the sample: --yes');
  }
  const path = checkpointPathOf(file, api.url);
  if (options.undo && !existsSync(path))
    throw new Error(`Nothing to undo: ${file} has no checkpoint ${path}.`);
  // Half the throttle of the slowest list, because callers have the other half.
  const lists = createRateLimit(
    isLocal(options) ? Number.POSITIVE_INFINITY : limits.listInventory.rate / 2,
  );
  const importOptions = { isDryRun, createsDuplicates, isXlsx: isXlsx(file) };
  const context = await openImport(petstore, path, rows, importOptions, lists.wait);
  const { wait } = createRateLimit(
    options.undo && !isLocal(options) ? Math.min(rate, limits.deletePet.rate) : rate,
  );
  const code = options.undo ? await undo(context, wait) : await importAll(rows, context, wait);
  if (isDryRun) print('Dry run: nothing was written');
  return code;
});

if (import.meta.main)
  await runMain(command, () => {
    console.error('Nobody reads the output. The checkpoint has what was done: run it again.');
    process.exit(1);
  });

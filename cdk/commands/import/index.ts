import { commandOf, flag, text } from '../../command.ts';
import { limits } from '../../config/limits.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { apiOptions, apiUsage, explain, findApi, isLocal, openPetstore } from '../shared/api.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { timeOf } from '../shared/time-of.ts';
import { planChange } from './change.ts';
import { checkpointPathOf } from './checkpoint.ts';
import { createPet } from './create.ts';
import { type Import, isUnedited, openImport, type Plan, planOf, Refusal } from './plan.ts';
import { columns, type Row, readRows, toCell } from './rows.ts';
import { isXlsx } from './sheet.ts';
import { changePet } from './writes.ts';

type Outcome = 'created' | 'changed' | 'unchanged' | 'refused';

const usage = `npm run import -- FILE [--stage NAME] [--dry-run] [--create-duplicates] [--rate N]
       npm run import -- FILE --without-revision [--exported-at TIME] [--stage NAME] [--dry-run] [--rate N]
Creates and changes pets. Export, correct the file in a spreadsheet, import it: a row with an id changes the cells of that pet
that you changed. A row without an id creates a pet, in a category that it finds by name or creates. A pet that is not in the
file stays. FILE.HOST.checkpoint has what was done: after an interruption, run the same command again.
The client needs the scopes catalog and inventory; --without-revision also orders.manage. Exit code 1: some rows were refused.
  FILE             .xlsx (for spreadsheets) or CSV, with a header row: ${columns}.
                   A new pet needs name and category alone. The quantity is what can still be ordered, without units in open
                   orders. A new pet of several units is on hold (pending) until they are counted; one without is sold
  --dry-run        prints what would happen, and writes nothing
  --create-duplicates  creates pets whose name and category exist already, and categories that look like others
  --without-revision   sets pets to their rows, whatever happened to them since the export, less the units ordered since
  --exported-at TIME   when the file was exported, if its revisions do not say it: 2026-11-21T14:00:00Z, or 2h before now
  --rate N         rows a second (default ${limits.createPet.rate}: the throttle of createPet; with --local 1000). A new pet takes 1 to 7 requests,
                   a changed one 3 to 10, any other none. 5,000 new pets take ${Math.ceil(5_000 / limits.createPet.rate / 60)} min
  --yes            of npm run seed: also into a store that has pets
${apiUsage}`;

const { count, misused, readOptions, run } = commandOf(usage);
const flags = { 'dry-run': flag, 'create-duplicates': flag, 'without-revision': flag, yes: flag };
const own = { ...apiOptions, rate: text, 'exported-at': text, ...flags };
const { values: options, positionals } = readOptions(own, { allowPositionals: true });
const [file = misused('Which file? npm run import -- FILE')] = positionals;
const rate = options.rate ? count('rate', options.rate) : isLocal(options) ? 1_000 : limits.createPet.rate;
const { 'dry-run': isDryRun, 'without-revision': withoutRevision, 'exported-at': moment } = options;
const exportedAt =
  moment === undefined ? undefined : timeOf(moment) || misused(`--exported-at ${moment} is not a time.`);

/** Milliseconds: lists are eventually consistent, normally within a second. */
const listDelay = isLocal(options) || isDryRun ? 0 : 2_000;

/** Creates or changes the pet of a row. */
const take = async (row: Row, plan: Plan, context: Import, wait: () => Promise<void>): Promise<Outcome> => {
  const { line, id, key, values } = row;
  const { checkpoint } = context;
  if (isUnedited(row, context.options)) return 'unchanged';
  await wait();
  try {
    const outcome = id
      ? await planChange(row, context)
      : await createPet(row, plan, context).then(() => 'created' as const);
    if (outcome !== 'unchanged' && !isDryRun) await changePet(context, key);
    if (outcome !== 'unchanged') checkpoint.note(key, id && withoutRevision ? undefined : { done: true });
    return outcome;
  } catch (error) {
    if (!(error instanceof Refusal)) {
      console.error('To continue, run the same command again.');
      throw error;
    }
    const what = id ? `${toCell(id)}: refused,` : `${values.name}: created, then`;
    console.log(`line ${line}: ${what} ${error.message}`);
    // The next run starts a refused row again, or continues after the cells that this run has written.
    if (!(id && checkpoint.of(key).write && !withoutRevision)) checkpoint.note(key, id ? undefined : { done: true });
    return id ? 'refused' : 'created';
  }
};

await run(async () => {
  const rowOptions = { withoutRevision, exportedAt };
  const rows = await readRows(file, rowOptions);
  const api = await findApi(options);
  const petstore = await openPetstore(api);
  if (file.endsWith('import/sample.csv') && !isLocal(options) && !options.yes) {
    const some = await explain('The pets', orThrow(petstore.GET('/pets', { params: { query: { limit: 1 } } })));
    if (some.length > 0) throw new Error('The store has pets. To add those of the sample: --yes');
  }
  const context = await openImport(petstore, checkpointPathOf(file, api.url), {
    ...rowOptions,
    isDryRun,
    createsDuplicates: options['create-duplicates'],
    isXlsx: isXlsx(file),
    listDelay,
  });
  const plan = await planOf(rows, context);
  const counts: Record<Outcome, number> = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  const { wait } = createRateLimit(rate);
  const { left } = plan;
  for (const [index, row] of left.entries()) {
    counts[await take(row, plan, context, wait)] += 1;
    if (index % 100 === 99) console.error(`${left.length - index - 1} left`);
  }
  const before = rows.length - left.length;
  const outcomes = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  console.log(`${rows.length} rows: ${outcomes.join(', ')}${before > 0 ? `; ${before} were imported before` : ''}`);
  return counts.refused > 0 ? 1 : 0;
});

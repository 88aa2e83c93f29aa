import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyLifetimeHours } from '../../../lib/key-lifetime.ts';
import { createdAt } from '../../../lib/model/table/id.ts';
import type { NewPet } from '../../../lib/schemas/pet.ts';
import { commandOf } from '../../command.ts';
import { limits } from '../../config/limits.ts';
import { orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { apiOptions, apiUsage, checked, findApi, isLocal, listAll, openPetstore } from '../shared/api.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { type Catalog, changePet, differences, openCatalog, Refusal } from './change-pet.ts';
import { type Checkpoint, checkpointPathOf, openCheckpoint } from './checkpoint.ts';
import { columns, type Row, readRows, revisionOf, toCell, type Values } from './rows.ts';

const usage = `npm run import -- FILE.csv [--stage NAME] [--dry-run] [--create-duplicates] [--without-revision] [--rate N]
Creates and changes pets. Export, correct the file in a spreadsheet, import it: a row with an id changes the cells of that pet
that you changed. A row without an id creates a pet, in a category that it finds by name or creates. A pet that is not in the
file stays. FILE.HOST.checkpoint has what was done: after an interruption, run the same command again.
  FILE             CSV with a header row: ${columns}.
                   A new pet needs name and category alone. The quantity is what can still be ordered, without units in open
                   orders. A new pet of several units is on hold (pending) until they are counted; one without is sold
  --dry-run        prints what would happen, and writes nothing
  --create-duplicates  creates pets whose name and category exist already
  --without-revision   changes pets of rows without a revision, whatever happened to them since the export
  --rate N         rows a second (default ${limits.createPet.rate}: the throttle of createPet; with --local 1000). A new pet takes 1 to 7 requests,
                   a changed one 3 to 9, any other none. 5,000 new pets take ${Math.ceil(5_000 / limits.createPet.rate / 60)} min
  --yes            of npm run seed: also into a store that has pets
${apiUsage}
  --help           prints this
The client needs the scopes catalog and inventory. Exit code 1: some rows were refused.`;

const { count, misused, readOptions, run } = commandOf(usage);
const flag = { type: 'boolean', default: false } as const;
const flags = { 'dry-run': flag, 'create-duplicates': flag, 'without-revision': flag, yes: flag };
const { values: options, positionals } = readOptions(
  { ...apiOptions, rate: { type: 'string' }, ...flags },
  { allowPositionals: true },
);
const [file = misused('Which file? npm run import -- FILE')] = positionals;
const rate = options.rate ? count('rate', options.rate) : isLocal(options) ? 1_000 : limits.createPet.rate;
const isDryRun = options['dry-run'];

const hour = 3_600_000;
const nameOf = ({ line, values: { name, category } }: Row): string => `line ${line} "${name}" (${category})`;

/** Compares new rows with the pets of their categories, and finds the pet of a row that was sent and whose key has expired. */
const compare = async (petstore: Petstore, { ids }: Catalog, checkpoint: Checkpoint, rows: readonly Row[]) => {
  const created = new Set([...checkpoint.rows.values()].flatMap(({ sent, id }) => (sent && id ? [id] : [])));
  const pets = new Map<number, { id: number; name: string }[]>();
  const existing = async ({ values: { name, category } }: Row) => {
    const categoryId = ids.get(category as string);
    if (categoryId === undefined) return [];
    if (!pets.has(categoryId)) pets.set(categoryId, await listAll(petstore, '/pets', { categoryId }));
    return pets.get(categoryId)!.filter(pet => pet.name === name && !created.has(pet.id));
  };
  const twins: Row[] = [];
  const fresh = rows.filter(({ key }) => !checkpoint.of(key).sent && !checkpoint.of(key).isNew);
  for (const row of fresh) if ((await existing(row)).length > 0) twins.push(row);
  if (twins.length > 0 && !options['create-duplicates'])
    throw new Error(
      `These pets exist: ${twins.slice(0, 10).map(nameOf).join(', ')}. Nothing was written. To change pets, export them first. To create others of the same name: --create-duplicates`,
    );
  for (const row of rows) {
    const { id, sent = '' } = checkpoint.of(row.key);
    const from = Date.parse(sent);
    // Clocks differ by minutes.
    if (id !== undefined || !(Date.now() - from > (keyLifetimeHours - 1) * hour)) continue;
    const [earliest, latest] = [from - 0.1 * hour, from + (keyLifetimeHours + 0.1) * hour];
    const isOfThen = ({ id: pet }: { id: number }) => createdAt(pet) > earliest && createdAt(pet) < latest;
    const [own, ...others] = (await existing(row)).filter(isOfThen);
    if (own && others.length > 0)
      throw new Error(
        `${nameOf(row)} was sent at ${sent} without a response, and is one of ${[own, ...others].map(pet => toCell(pet.id))}. Delete the others, and run the same command again.`,
      );
    if (own) checkpoint.note(row.key, { id: own.id, ...planOf(row.values) });
  }
  for (const { key } of fresh) checkpoint.note(key, { isNew: true });
};

/** How a pet is created, and what changes then: nobody can order one of several units before all are counted. */
const planOf = ({ status = 'available', quantity, ...fields }: Values): { old: Values; new: Values } => {
  const isHeld = status === 'available' && Number(quantity ?? 1) > 1;
  const first = isHeld ? 'pending' : status === 'available' && quantity === 0 ? 'sold' : status;
  const old = { ...fields, status: first, quantity: first === 'sold' ? 0 : 1 };
  return { old, new: { ...(quantity !== undefined && { quantity }), ...(isHeld && { status }) } };
};

await run(async () => {
  const rows = readRows(file, !options['without-revision']);
  const api = await findApi(options);
  // A local server may have lost its data since the last run.
  const checkpoint = openCheckpoint(isLocal(options) ? undefined : checkpointPathOf(file, api.url), isDryRun);
  const petstore = await openPetstore(api);
  if (resolve(file) === resolve(import.meta.dirname, 'sample.csv') && !isLocal(options) && !options.yes) {
    const some = await checked('The pets', orThrow(petstore.GET('/pets', { params: { query: { limit: 1 } } })));
    if (some.length > 0) throw new Error('The store has pets. To add those of the sample: --yes');
  }
  const catalog = await openCatalog(petstore);
  const left = rows.filter(({ key }) => !checkpoint.of(key).done);
  const news = left.filter(({ id }) => id === undefined);
  await compare(petstore, catalog, checkpoint, news);

  /** @returns 0 in a dry run, if the category does not exist */
  const categoryOf = async (name: string): Promise<number> => {
    const known = catalog.ids.get(name);
    if (known !== undefined) return known;
    console.log(`new category: ${name}`);
    if (isDryRun) catalog.ids.set(name, 0);
    return isDryRun ? 0 : catalog.createCategory(name, `import: ${checkpoint.id} ${revisionOf(0, { name })}`);
  };
  const create = async ({ key, values }: Row): Promise<'created'> => {
    const { category, quantity: _, ...fields } = values;
    const categoryId = await categoryOf(category as string);
    const plan = planOf(values);
    const { id: known, categoryId: before = categoryId } = checkpoint.of(key);
    if (known === undefined && !isDryRun) {
      checkpoint.note(key, { sent: new Date().toISOString(), categoryId });
      const params = { header: { 'Idempotency-Key': `import: ${checkpoint.id} ${key}` } };
      const post = (body: object) =>
        petstore.POST('/pets', { body: { ...fields, status: plan.old.status, ...body } as NewPet, params });
      let creation = await post({ categoryId });
      // It was created before its category was renamed, or replaced by another.
      if (creation.error?.code === 'idempotency_key_reused') creation = await post({ categoryId: before });
      const { id } = await checked(`The pet "${fields.name}"`, orThrow(creation));
      checkpoint.note(key, { id, ...plan });
    }
    return 'created';
  };
  const change = async (row: Row): Promise<'changed' | 'unchanged'> => {
    const { line, key, revision, values } = row;
    const id = row.id!;
    if (!checkpoint.of(key).old) {
      const { values: old } = (await catalog.read(id)) ?? {};
      if (!old) throw new Refusal('it does not exist: deleted, or of another stage');
      const changed = differences(old, values);
      if (revision && revisionOf(id, old) !== revision)
        throw new Refusal(`it was changed since the export: ${changed.join('; ') || 'not in the columns of the file'}`);
      if (changed.length === 0) return 'unchanged';
      const next = Object.fromEntries(
        Object.entries(values).filter(
          // Without a revision, a status is wanted also after the quantity has changed.
          ([name, value]) => (old[name] ?? null) !== value || (!revision && name === 'status'),
        ),
      );
      if (next.status === 'available' && (next.quantity ?? old.quantity) === 0)
        throw new Refusal('it cannot be available without a unit');
      checkpoint.note(key, { id, old, new: next });
    }
    const { old, new: next } = checkpoint.of(key);
    console.log(`line ${line}: ${toCell(id)} ${old!.name}: ${differences(old!, next!).join('; ')}`);
    if (next!.category !== undefined) await categoryOf(next!.category as string);
    return 'changed';
  };

  const counts = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  const wait = createRateLimit(rate);
  const take = async (row: Row) => {
    const { line, id, key, revision, values } = row;
    if (id && revision === revisionOf(id, values)) return 'unchanged';
    await sleep(wait());
    try {
      const outcome = await (id ? change(row) : create(row));
      if (outcome !== 'unchanged' && !isDryRun)
        await changePet(petstore, catalog, checkpoint.of(key), progress => checkpoint.note(key, progress));
      checkpoint.note(key, { done: true });
      return outcome;
    } catch (error) {
      if (!(error instanceof Refusal)) {
        console.error('To continue, run the same command again.');
        throw error;
      }
      const what = id ? `${toCell(id)}: refused,` : `${values.name}: created, then`;
      console.log(`line ${line}: ${what} ${error.message}`);
      checkpoint.note(key, id ? undefined : { done: true });
      return id ? 'refused' : 'created';
    }
  };
  for (const [index, row] of left.entries()) {
    counts[await take(row)] += 1;
    if (index % 100 === 99) console.error(`${left.length - index - 1} left`);
  }
  const before = rows.length - left.length;
  const outcomes = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  console.log(`${rows.length} rows: ${outcomes.join(', ')}${before > 0 ? `; ${before} were imported before` : ''}`);
  return counts.refused > 0 ? 1 : 0;
});

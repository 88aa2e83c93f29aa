import { existsSync } from 'node:fs';
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

/** Hours for which an idempotency key is valid, less one for clocks that differ. */
const keyHours = keyLifetimeHours - 1;
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

const { misused, readOptions, run } = commandOf(usage);
const flag = { type: 'boolean', default: false } as const;
const flags = { 'dry-run': flag, 'create-duplicates': flag, 'without-revision': flag, yes: flag };
const { values: options, positionals } = readOptions(
  { ...apiOptions, rate: { type: 'string' }, ...flags },
  { allowPositionals: true },
);
const [file = misused('Which file? npm run import -- FILE')] = positionals;
const rate = Number(options.rate ?? (isLocal(options) ? 1_000 : limits.createPet.rate));
if (!(rate > 0)) misused(`--rate ${options.rate} is not a number above 0.`);
const isSample = resolve(file) === resolve(import.meta.dirname, 'sample.csv');
const isDryRun = options['dry-run'];

const namesOf = (rows: readonly Row[]): string =>
  rows
    .map(({ line, values }) => `line ${line} "${values.name}" (${values.category})`)
    .slice(0, 10)
    .join(', ');

/** Compares new rows with the pets of their categories, and finds the pets of rows whose key has expired. */
const compare = async (petstore: Petstore, { ids }: Catalog, checkpoint: Checkpoint, rows: readonly Row[]) => {
  const isLate = ({ key }: Row) => Date.now() - Date.parse(checkpoint.of(key).sent ?? '') > keyHours * 3_600_000;
  const late = rows.filter(row => checkpoint.of(row.key).id === undefined && isLate(row));
  const fresh = rows.filter(({ key }) => !checkpoint.of(key).sent && !checkpoint.of(key).isNew);
  const created = checkpoint.created();
  const pets = new Map<unknown, { id: number; name: string }[]>();
  for (const category of new Set([...late, ...fresh].map(({ values }) => values.category as string))) {
    const categoryId = ids.get(category);
    if (categoryId) pets.set(category, await listAll(petstore, '/pets', { categoryId }));
  }
  const existing = ({ values: { name, category } }: Row) =>
    (pets.get(category) ?? []).filter(pet => pet.name === name && !created.has(pet.id));
  const twins = fresh.filter(row => existing(row).length > 0);
  if (twins.length > 0 && !options['create-duplicates'])
    throw new Error(
      `These pets exist: ${namesOf(twins)}. Nothing was written. To change pets, export them first. To create others of the same name: --create-duplicates`,
    );
  for (const row of late) {
    const sent = Date.parse(checkpoint.of(row.key).sent!);
    // Clocks differ by minutes; a key is valid for a day.
    const found = existing(row).filter(({ id }) => createdAt(id) > sent - 300_000 && createdAt(id) < sent + 86_400_000);
    if (found.length > 1)
      throw new Error(
        `${namesOf([row])} was sent at ${checkpoint.of(row.key).sent} without a response, and is one of ${found.map(({ id }) => toCell(id))}. Delete the others, and run the same command again.`,
      );
    if (found[0] && !isDryRun) checkpoint.note(row.key, { id: found[0].id, ...planOf(row.values) });
  }
  if (!isDryRun) for (const { key } of fresh) checkpoint.note(key, { isNew: true });
};

/** How a pet is created, and what changes then: nobody can order one of several units before all are counted. */
const planOf = ({ status = 'available', quantity, ...fields }: Values): { old: Values; new: Values } => {
  const isHeld = status === 'available' && Number(quantity ?? 1) > 1;
  const first = isHeld ? 'pending' : status === 'available' && quantity === 0 ? 'sold' : status;
  const old = { ...fields, status: first, quantity: first === 'sold' ? 0 : 1 };
  return { old, new: { ...(quantity !== undefined && { quantity }), ...(isHeld && { status }) } };
};

await run(async () => {
  const rows = readRows(file);
  const unknown = rows.find(({ id, revision }) => id && !revision);
  if (unknown && !options['without-revision'])
    throw new Error(
      `line ${unknown.line} has an id and no revision. To change its pet, whatever happened to it since: --without-revision`,
    );
  const api = await findApi(options);
  const path = checkpointPathOf(file, api.url);
  // A local server may have lost its data since the last run.
  const isKept = !isLocal(options) && (!isDryRun || existsSync(path));
  const checkpoint = openCheckpoint(isKept ? path : undefined);
  const petstore = await openPetstore(api);
  if (isSample && !isLocal(options) && !options.yes) {
    const some = await checked('The pets', orThrow(petstore.GET('/pets', { params: { query: { limit: 1 } } })));
    if (some.length > 0) throw new Error('The store has pets. To add those of the sample: --yes');
  }
  const catalog = await openCatalog(petstore);
  const left = rows.filter(({ key }) => !checkpoint.of(key).done);
  await compare(
    petstore,
    catalog,
    checkpoint,
    left.filter(({ id }) => id === undefined),
  );

  const announced = new Set<string>();
  const categoryOf = async (name: string): Promise<number> => {
    const known = catalog.ids.get(name);
    if (known) return known;
    if (!announced.has(name)) console.log(`new category: ${name}`);
    announced.add(name);
    return isDryRun ? 0 : catalog.createCategory(name, `import: ${checkpoint.id} ${revisionOf(0, { name })}`);
  };
  const create = async ({ line, key, values }: Row): Promise<'created'> => {
    const { category, quantity: _, ...fields } = values;
    const categoryId = await categoryOf(category as string);
    if (isDryRun) return 'created';
    const plan = planOf(values);
    const { id: known, categoryId: before = categoryId } = checkpoint.of(key);
    if (known === undefined) {
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
    await changePet(petstore, catalog, checkpoint.of(key), progress => checkpoint.note(key, progress)).catch(error => {
      if (!(error instanceof Refusal)) throw error;
      console.log(`line ${line}: ${values.name}: created, then ${error.message}`);
    });
    return 'created';
  };
  const change = async ({ line, id, key, revision, values }: Row): Promise<'changed' | 'unchanged'> => {
    let progress = checkpoint.of(key);
    if (!progress.old) {
      const stored = await catalog.read(id!);
      if (!stored) throw new Refusal('it does not exist: deleted, or of another stage');
      const changed = differences(stored.values, values);
      if (revision && revisionOf(id!, stored.values) !== revision)
        throw new Refusal(`it was changed since the export: ${changed.join('; ') || 'not in the columns of the file'}`);
      if (changed.length === 0) return 'unchanged';
      const next = Object.fromEntries(
        Object.entries(values).filter(
          // Without a revision, a status is wanted also after the quantity has changed.
          ([name, value]) => (stored.values[name] ?? null) !== value || (!revision && name === 'status'),
        ),
      );
      const { quantity } = { ...stored.values, ...next } as { quantity: number };
      if (next.status === 'available' && quantity === 0) throw new Refusal('it cannot be available without a unit');
      progress = { id: id!, old: stored.values, new: next };
      if (!isDryRun) checkpoint.note(key, progress);
    }
    console.log(
      `line ${line}: ${toCell(id!)} ${progress.old!.name}: ${differences(progress.old!, progress.new!).join('; ')}`,
    );
    if (progress.new?.category !== undefined) await categoryOf(progress.new.category as string);
    if (!isDryRun) await changePet(petstore, catalog, progress, more => checkpoint.note(key, more));
    return 'changed';
  };

  const counts = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  const wait = createRateLimit(rate);
  let ended = 0;
  try {
    for (const row of left) {
      if (row.id && row.revision === revisionOf(row.id, row.values)) counts.unchanged += 1;
      else {
        await sleep(wait());
        try {
          counts[await (row.id ? change(row) : create(row))] += 1;
          if (!isDryRun) checkpoint.note(row.key, { done: true });
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          console.log(`line ${row.line}: ${row.id ? toCell(row.id) : row.values.name}: refused, ${error.message}`);
          counts.refused += 1;
          if (!isDryRun) checkpoint.forget(row.key);
        }
      }
      ended += 1;
      if (ended % 100 === 0) console.error(`${left.length - ended} left`);
    }
  } finally {
    if (ended < left.length) console.error('To continue, run the same command again.');
  }
  const before = rows.length - left.length;
  const outcomes = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  console.log(`${rows.length} rows: ${outcomes.join(', ')}${before > 0 ? `; ${before} were imported before` : ''}`);
  return counts.refused > 0 ? 1 : 0;
});

import { setTimeout as sleep } from 'node:timers/promises';
import { keyLifetimeHours } from '../../../lib/key-lifetime.ts';
import { createdAt } from '../../../lib/model/table/id.ts';
import type { NewPet } from '../../../lib/schemas/pet.ts';
import { commandOf, flag, text } from '../../command.ts';
import { limits } from '../../config/limits.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { apiOptions, apiUsage, explain, findApi, isLocal, listAll, openPetstore } from '../shared/api.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { timeOf } from '../shared/time-of.ts';
import { changePet, openCatalog, Refusal } from './change-pet.ts';
import { checkpointPathOf, openCheckpoint, type Progress } from './checkpoint.ts';
import {
  changedCells,
  columns,
  differences,
  digestOf,
  isFragile,
  type Row,
  readRows,
  revisionOf,
  toCell,
  type Values,
} from './rows.ts';
import { isXlsx } from './sheet.ts';

const usage = `npm run import -- FILE [--stage NAME] [--dry-run] [--create-duplicates] [--rate N]
       npm run import -- FILE --without-revision [--exported-at TIME] [--stage NAME] [--dry-run] [--rate N]
Creates and changes pets. Export, correct the file in a spreadsheet, import it: a row with an id changes the cells of that pet
that you changed. A row without an id creates a pet, in a category that it finds by name or creates. A pet that is not in the
file stays. FILE.HOST.checkpoint has what was done: after an interruption, run the same command again.
The client needs the scopes catalog and inventory; --without-revision also orders.manage. Exit code 1: some rows were refused.
  FILE             .xlsx (for spreadsheets) or CSV, with a header row: ${columns}.
                   A new pet needs name and category alone. The quantity is what can still be ordered, without units in open
                   orders. A new pet of several units is on hold (pending) until they are counted; one without is sold
  --sheet NAME     another sheet of the .xlsx file than its first visible one
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
const own = { ...apiOptions, rate: text, sheet: text, 'exported-at': text, ...flags };
const { values: options, positionals } = readOptions(own, { allowPositionals: true });
const [file = misused('Which file? npm run import -- FILE')] = positionals;
const rate = options.rate ? count('rate', options.rate) : isLocal(options) ? 1_000 : limits.createPet.rate;
const { 'dry-run': isDryRun, 'without-revision': withoutRevision, 'exported-at': moment } = options;
const exportedAt =
  moment === undefined ? undefined : timeOf(moment) || misused(`--exported-at ${moment} is not a time.`);

const hour = 3_600_000;
/** Milliseconds: lists are eventually consistent, normally within a second. */
const listDelay = isLocal(options) || isDryRun ? 0 : 2_000;

/** A row as the export wrote it needs no request. A repair can change its pet, too. */
const isUnedited = ({ id, revision, values }: Row): boolean =>
  !withoutRevision && id !== undefined && revision === revisionOf(id, values);

const nameOf = ({ line, values: { name, category } }: Row): string => `line ${line} "${name}" (${category})`;

/** An `available` pet of several units is first `pending` with one, so nobody orders it before its quantity is set. */
const planOf = ({ status = 'available', quantity = status === 'sold' ? 0 : 1, ...fields }: Values) => {
  const target = status === 'available' && quantity === 0 ? 'sold' : status;
  const first = target === 'available' && Number(quantity) > 1 ? 'pending' : target;
  return { old: { ...fields, status: first, quantity: first === 'sold' ? 0 : 1 }, new: { quantity, status: target } };
};

/** @throws when a new category of a row looks like an existing one, or like another new one */
const checkCategories = (existing: readonly string[], rows: readonly Row[]): void => {
  const fold = (name: string) => name.normalize().toUpperCase().toLowerCase().normalize().replace(/\s+/g, ' ').trim();
  const known = Map.groupBy(existing, fold);
  const alike = rows.flatMap(row => {
    const category = row.values.category as string | undefined;
    const twins = known.get(fold(category ?? '')) ?? [];
    if (category === undefined || isUnedited(row) || twins.includes(category)) return [];
    known.set(fold(category), [...twins, category]);
    return twins.length > 0 ? `line ${row.line}: "${category}" and "${twins[0]}"` : [];
  });
  if (alike.length > 0)
    throw new Error(
      `These categories differ only in letter case, spaces or Unicode form:\n${alike.join('\n')}\nNothing was written. To create them: --create-duplicates`,
    );
};

await run(async () => {
  const rows = await readRows(file, { withoutRevision, exportedAt, sheet: options.sheet });
  const api = await findApi(options);
  const petstore = await openPetstore(api);
  if (file.endsWith('import/sample.csv') && !isLocal(options) && !options.yes) {
    const some = await explain('The pets', orThrow(petstore.GET('/pets', { params: { query: { limit: 1 } } })));
    if (some.length > 0) throw new Error('The store has pets. To add those of the sample: --yes');
  }
  const catalog = await openCatalog(petstore);
  const { ids } = catalog;
  const path = checkpointPathOf(file, api.url);
  // A local server that lost its data has the same URL, but none of the checkpoint's pets.
  const known = [...openCheckpoint(path, { isReadOnly: true }).rows.values()].flatMap(({ id }) => id ?? []);
  let isNew = known.length > 0;
  for (const id of known) isNew &&= !(await catalog.read(id));
  if (isNew) console.error(`The store has no pet of ${path}, so the import starts again.`);
  const checkpoint = openCheckpoint(path, { isNew, isReadOnly: isDryRun });
  const left = rows.filter(({ key }) => !checkpoint.of(key).done);
  const news = left.filter(row => row.id === undefined && checkpoint.of(row.key).id === undefined);

  /** The pets in the categories of new rows, without those that this import created. */
  const others: { id: number; name: string; categoryId: number }[] = [];
  const created = new Set([...checkpoint.rows.values()].flatMap(({ sent, id }) => (sent && id ? [id] : [])));
  for (const categoryId of new Set(news.flatMap(({ values }) => ids.get(values.category as string) ?? [])))
    for (const pet of await listAll<(typeof others)[number]>(petstore, '/pets', { categoryId }))
      if (!created.has(pet.id)) others.push(pet);
  const namesakesOf = ({ values: { name, category } }: Row) =>
    others.filter(pet => pet.name === name && pet.categoryId === ids.get(category as string));
  const fresh = news.filter(({ key }) => !checkpoint.rows.has(key));
  const twins = fresh.filter(row => namesakesOf(row).length > 0);
  if (twins.length > 0 && !options['create-duplicates'])
    throw new Error(
      `These pets exist: ${twins.slice(0, 10).map(nameOf).join(', ')}. Nothing was written. To change pets, export them first. To create others of the same name: --create-duplicates`,
    );
  if (!options['create-duplicates']) checkCategories([...ids.keys()], left);
  for (const { key } of fresh) checkpoint.note(key, {});

  /** @returns 0 in a dry run, if the category does not exist */
  const categoryOf = async (name: string): Promise<number> => {
    if (!ids.has(name)) console.log(`new category: ${name}`);
    if (!ids.has(name) && isDryRun) ids.set(name, 0);
    // If the category of a key was renamed or deleted since, the next attempt uses another key.
    for (let attempt = 1; !ids.has(name); attempt++) {
      const params = { header: { 'Idempotency-Key': `import: ${checkpoint.id} ${digestOf(name)} ${attempt}` } };
      const creation = petstore.POST('/pets/categories', { body: { name }, params });
      const { id } = await explain(`The category "${name}"`, orThrow(creation));
      if ((await catalog.nameOf(id)) === name) ids.set(name, id);
    }
    return ids.get(name)!;
  };

  /** Finds the pet of a creation that got no response, and whose idempotency key has expired. */
  const lookUp = (row: Row, sent: string): number | undefined => {
    // The clocks of the API and of this machine can differ by minutes.
    const [earliest, latest] = [-0.1, keyLifetimeHours + 0.1].map(hours => Date.parse(sent) + hours * hour);
    const isOfThen = ({ id }: { id: number }) => createdAt(id) > earliest! && createdAt(id) < latest!;
    const found = namesakesOf(row).filter(isOfThen);
    if (found.length > 1)
      throw new Error(
        `${nameOf(row)} was sent at ${sent} without a response, and is one of ${found.map(pet => toCell(pet.id))}. Delete the others, and run the same command again.`,
      );
    return found[0]?.id;
  };
  const create = async (row: Row): Promise<'created'> => {
    const { key, values } = row;
    const { category, quantity: _, ...fields } = values;
    const plan = planOf(values);
    const { id: known, sent = '' } = checkpoint.of(key);
    if (known !== undefined) return 'created';
    const isExpired = Date.now() - Date.parse(sent) > (keyLifetimeHours - 1) * hour;
    let id = isExpired ? lookUp(row, sent) : undefined;
    if (id === undefined) {
      const categoryId = await categoryOf(category as string);
      if (isDryRun) return 'created';
      // A later attempt sends the same key, so the checkpoint keeps the time of the first.
      if (!sent || isExpired) checkpoint.note(key, { sent: new Date().toISOString(), categoryId });
      const params = { header: { 'Idempotency-Key': `import: ${checkpoint.id} ${key}` } };
      const post = (body: object) =>
        petstore.POST('/pets', { body: { ...fields, status: plan.old.status, ...body } as NewPet, params });
      let creation = await post({ categoryId });
      // The first attempt named another category, which was renamed or replaced since. Repeat that request.
      if (creation.error?.code === 'idempotency_key_reused')
        creation = await post({ categoryId: checkpoint.of(key).categoryId });
      ({ id } = await explain(`The pet "${fields.name}"`, orThrow(creation)));
    }
    checkpoint.note(key, { id, ...plan });
    return 'created';
  };

  /** A repair subtracts the units that were ordered since the export. */
  const target = async ({ id, exported, values }: Row): Promise<Values> => {
    if (!withoutRevision || values.quantity === undefined) return values;
    // The list can lack an order of the last second. After a later order, the first write gets a conflict.
    await sleep(listDelay);
    const query = { petId: id, placedFrom: new Date(exported).toISOString() };
    const orders = await listAll<{ id: number; quantity: number }>(petstore, '/store/orders', query);
    const ordered = orders.reduce((sum, order) => sum + order.quantity, 0);
    const quantity = Number(values.quantity) - ordered;
    const list = orders.map(order => `order ${order.id} (${order.quantity})`).join(', ');
    if (quantity < 0) throw new Refusal(`it had ${values.quantity} units, and ${ordered} were ordered since: ${list}`);
    return { ...values, quantity, status: quantity === 0 && values.status === 'available' ? undefined : values.status };
  };

  const change = async (row: Row): Promise<'changed' | 'unchanged'> => {
    const { line, key, revision } = row;
    const id = row.id!;
    if (!checkpoint.of(key).old) {
      const { values: old } = (await catalog.read(id)) ?? {};
      if (!old) throw new Refusal('it does not exist: deleted, or of another stage');
      const values = await target(row);
      const text = differences(old, values);
      if (!withoutRevision && revisionOf(id, old) !== revision)
        throw new Refusal(`it was changed since the export: ${text || 'not in the columns of the file'}`);
      if (!text) return 'unchanged';
      const [column = '', to] = Object.entries(changedCells(old, values)).find(([name]) => isFragile(old[name])) ?? [];
      if (column && !isXlsx(file) && revisionOf(id, row.values) !== revision)
        throw new Refusal(`a spreadsheet may have changed ${old[column]} to ${to}; to rename it, use .xlsx`);
      // Without a revision, an equal status is set, too, because the new quantity can change it.
      const next: Values = { status: withoutRevision ? values.status : undefined, ...changedCells(old, values) };
      if (next.status === 'available' && (next.quantity ?? old.quantity) === 0)
        throw new Refusal('it cannot be available without a unit');
      checkpoint.note(key, { id, old, new: next });
    }
    const { old, new: next } = checkpoint.of(key) as Required<Progress>;
    console.log(`line ${line}: ${toCell(id)} ${old.name}: ${differences(old, next)}`);
    if (next.category !== undefined) await categoryOf(next.category as string);
    return 'changed';
  };

  const counts = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  const { wait } = createRateLimit(rate);
  const take = async (row: Row) => {
    const { line, id, key, values } = row;
    if (isUnedited(row)) return 'unchanged';
    await wait();
    try {
      const outcome = await (id ? change(row) : create(row));
      if (outcome !== 'unchanged' && !isDryRun) await changePet(petstore, catalog, checkpoint, key);
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
  for (const [index, row] of left.entries()) {
    counts[await take(row)] += 1;
    if (index % 100 === 99) console.error(`${left.length - index - 1} left`);
  }
  const before = rows.length - left.length;
  const outcomes = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  console.log(`${rows.length} rows: ${outcomes.join(', ')}${before > 0 ? `; ${before} were imported before` : ''}`);
  return counts.refused > 0 ? 1 : 0;
});

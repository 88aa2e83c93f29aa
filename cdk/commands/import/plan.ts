import { note, now, print } from '../../command.ts';
import type { Petstore } from '../../openapi/petstore-client.ts';
import { listAll } from '../shared/api.ts';
import { firstOf } from '../shared/sheet.ts';
import { openCatalog } from './catalog.ts';
import { digestOf, isEmpty, toCell } from './cells.ts';
import { isExpired, openCheckpoint } from './checkpoint.ts';
import type { Row } from './rows.ts';

/** `isXlsx`: the file's kind. */
type ImportOptions = Readonly<Record<'isDryRun' | 'createsDuplicates' | 'isXlsx', boolean>>;

type Namesake = { readonly id: number; readonly name: string; readonly categoryId: number };

/** A row as the export wrote it needs no request. */
export const isUnedited = ({ revision, edited }: Row): boolean =>
  revision !== undefined && isEmpty(edited);

/** Of what the checkpoint notes when a row is done. */
export const contentOf = ({ values }: Row): string => digestOf(values);

/** Without what readers do not see. Accents count. */
const fold = (name: unknown) =>
  String(name)
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize()
    .toUpperCase()
    .toLowerCase()
    .normalize()
    .replace(/\s+/g, ' ')
    .trim();

/** By category, or by name if the category has more pages than there are names: at most twice the fewest requests. */
const findPets = async (
  petstore: Petstore,
  categoryId: number,
  names: readonly unknown[],
): Promise<Namesake[]> => {
  const tooMany = new Error();
  let pages = names.length === 1 ? 1 : 0;
  const turn = async () => {
    if (pages++ === names.length) throw tooMany;
  };
  try {
    return await listAll<Namesake>(petstore, '/pets', { categoryId }, turn);
  } catch (error) {
    if (error !== tooMany) throw error;
    const found = [];
    for (const name of names)
      found.push(await listAll<Namesake>(petstore, '/pets', { name }, undefined));
    return found.flat();
  }
};

/** @throws when a new category of a row looks like an existing one, or like another new one */
const checkCategories = (existing: readonly string[], rows: readonly Row[]): void => {
  const known = Map.groupBy(existing, fold);
  const alike = rows.flatMap(row => {
    const category = row.edited.category as string | undefined;
    const twins = known.get(fold(category ?? '')) ?? [];
    if (category === undefined || twins.includes(category)) return [];
    known.set(fold(category), [...twins, category]);
    return twins.length > 0 ? `line ${row.line}: "${category}" and "${twins[0]}"` : [];
  });
  if (alike.length > 0)
    throw new Error(
      `These categories look alike:\n${alike.join('\n')}\nNothing was written. To create them: --create-duplicates`,
    );
};

/** @param turn runs before each request of a list @throws {Error} */
export const openImport = async (
  petstore: Petstore,
  path: string,
  rows: readonly Row[],
  options: ImportOptions,
  turn: () => Promise<unknown>,
) => {
  const catalog = await openCatalog(petstore, turn);
  const checkpoint = openCheckpoint(path, { isReadOnly: options.isDryRun });
  // A local server that lost its data has the same URL, but none of the checkpoint's pets.
  const known = [...checkpoint.rows].filter(([, { id }]) => id !== undefined);
  let isLost = rows.length > 0 && known.length > 0;
  for (const [, { id }] of known) isLost &&= !(await catalog.stockOf(id!));
  const changed = known.flatMap(([key]) => /^[\da-f]{8}(?= pet-)/.exec(key) ?? []);
  const exported = rows.flatMap(({ revision }) => revision?.exported ?? []);
  const isOther =
    changed.length * exported.length > 0 && new Set(changed).isDisjointFrom(new Set(exported));
  if (isLost) note(`The store has no pet of ${path}, so the import starts again.`);
  else if (isOther) note(`${path} is of an earlier export, so the import starts again.`);
  if (isLost || isOther) checkpoint.startAgain();
  return { petstore, catalog, checkpoint, options };
};
export type Import = Awaited<ReturnType<typeof openImport>>;

/** Names each pet whose stock has changed since the export, edited or not: a count that equals the export can be old. */
const nameMoved = async (rows: readonly Row[], { catalog, checkpoint }: Import): Promise<void> => {
  const stocks = rows.some(row => row.revision) ? await catalog.listStocks() : undefined;
  for (const { line, key, id, revision, values } of stocks ? rows : []) {
    const now = stocks!.get(id!)?.stock ?? revision?.stock;
    const { applied, write } = checkpoint.of(key);
    const isOwn = 'stock' in { ...applied, ...write?.part };
    if (revision && now !== revision.stock && !isOwn)
      print(
        `line ${line}: ${toCell(id!)} ${values.name ?? ''}: stock ${revision.stock} at the export, ${now} now`,
      );
  }
};

/** Notes the new rows in the checkpoint. @returns the rows that are left @throws when they or their categories look like what exists */
export const planOf = async (rows: readonly Row[], context: Import): Promise<Row[]> => {
  const { petstore, catalog, checkpoint, options } = context;
  const { ids } = catalog;
  const left = rows.filter(row => checkpoint.of(row.key).done !== contentOf(row));
  const news = left.filter(row => row.id === undefined && checkpoint.of(row.key).id === undefined);
  const pets: Namesake[] = [];
  const ofCategories = Map.groupBy(news, ({ values }) => ids.get(values.category as string));
  for (const [categoryId, rowsOf] of ofCategories) {
    const names = [...new Set(rowsOf.map(({ values }) => values.name))];
    if (categoryId !== undefined) pets.push(...(await findPets(petstore, categoryId, names)));
  }
  const created = new Set(
    [...checkpoint.rows.values()].flatMap(({ sent, id }) => (sent && id ? [id] : [])),
  );
  const alike = Map.groupBy(pets, ({ name, categoryId }) => `${categoryId} ${fold(name)}`);
  const lookAlikes = ({ values: { name, category } }: Row) =>
    alike.get(`${ids.get(category as string)} ${fold(name)}`) ?? [];
  // A copy of the checkpoint may be used after the keys of the original's creations are forgotten.
  const fresh = news.filter(({ key }) => {
    const { planned, sent } = checkpoint.of(key);
    return !sent && (!planned || isExpired(planned));
  });
  const twins = fresh.flatMap(row => lookAlikes(row).map(({ id }) => ({ row, id })));
  const twinText = ({ row: { line, values }, id }: (typeof twins)[number]) =>
    `line ${line} "${values.name}" (${values.category}) is ${toCell(id)}${created.has(id) ? ', which this file created: --undo deletes it' : ''}`;
  if (twins.length > 0 && !options.createsDuplicates)
    throw new Error(
      `These pets exist:\n${firstOf(twins.map(twinText))}\nNothing was written. To change a pet, export it, and edit the row with its id. To create others of the same name: --create-duplicates`,
    );
  if (!options.createsDuplicates) checkCategories([...ids.keys()], left);
  const planned = new Date(now()).toISOString();
  for (const { key } of fresh) checkpoint.note(key, { planned });
  await nameMoved(rows, context);
  return left;
};

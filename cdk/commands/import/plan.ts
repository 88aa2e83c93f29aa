import type { Petstore } from '../../openapi/petstore-client.ts';
import { listAll } from '../shared/api.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { openCheckpoint } from './checkpoint.ts';
import { type Row, type RowOptions, revisionOf, toCell } from './rows.ts';

/** `isXlsx`: the file's kind. `listDelay`: milliseconds, because lists are eventually consistent. */
type Flags = { readonly [name in 'isDryRun' | 'createsDuplicates' | 'isXlsx']: boolean };
export type ImportOptions = RowOptions & Flags & { readonly listDelay: number };

type Namesake = { readonly id: number; readonly name: string; readonly categoryId: number };
/** The rows that are left, and the pets in the categories of new rows, without those that this import created. */
export type Plan = { readonly left: readonly Row[]; readonly others: readonly Namesake[] };

export const nameOf = ({ line, values: { name, category } }: Row): string =>
  `line ${line} "${name}" (${category})`;

/** A row as the export wrote it needs no request. A repair can change its pet, too. */
export const isUnedited = (
  { id, revision, counted, values }: Row,
  { withoutRevision }: RowOptions,
): boolean =>
  !withoutRevision &&
  counted === undefined &&
  id !== undefined &&
  revision === revisionOf(id, values);

/** Without what readers do not see. Accents count. */
const fold = (name: unknown) =>
  String(name).normalize().toUpperCase().toLowerCase().normalize().replace(/\s+/g, ' ').trim();

export const namesakesOf = (
  { values: { name, category } }: Row,
  pets: readonly Namesake[],
  { ids }: Catalog,
) =>
  pets.filter(
    pet => fold(pet.name) === fold(name) && pet.categoryId === ids.get(category as string),
  );

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
const checkCategories = (
  existing: readonly string[],
  rows: readonly Row[],
  options: RowOptions,
): void => {
  const known = Map.groupBy(existing, fold);
  const alike = rows.flatMap(row => {
    const category = row.values.category as string | undefined;
    const twins = known.get(fold(category ?? '')) ?? [];
    if (category === undefined || isUnedited(row, options) || twins.includes(category)) return [];
    known.set(fold(category), [...twins, category]);
    return twins.length > 0 ? `line ${row.line}: "${category}" and "${twins[0]}"` : [];
  });
  if (alike.length > 0)
    throw new Error(
      `These categories differ only in letter case, spaces or Unicode form:\n${alike.join('\n')}\nNothing was written. To create them: --create-duplicates`,
    );
};

export const openImport = async (petstore: Petstore, path: string, options: ImportOptions) => {
  const catalog = await openCatalog(petstore);
  // A local server that lost its data has the same URL, but none of the checkpoint's pets.
  const known = [...openCheckpoint(path, { isReadOnly: true }).rows.values()].flatMap(
    ({ id }) => id ?? [],
  );
  let isNew = known.length > 0;
  for (const id of known) isNew &&= !(await catalog.find(id));
  if (isNew) console.error(`The store has no pet of ${path}, so the import starts again.`);
  const checkpoint = openCheckpoint(path, { isNew, isReadOnly: options.isDryRun });
  return { petstore, catalog, checkpoint, options };
};
export type Import = Awaited<ReturnType<typeof openImport>>;

/** Notes the new rows in the checkpoint. @throws when they or their categories look like what exists */
export const planOf = async (rows: readonly Row[], context: Import): Promise<Plan> => {
  const { petstore, catalog, checkpoint, options } = context;
  const { ids } = catalog;
  const left = rows.filter(({ key }) => !checkpoint.of(key).done);
  const news = left.filter(row => row.id === undefined && checkpoint.of(row.key).id === undefined);
  const pets: Namesake[] = [];
  for (const [categoryId, rowsOf] of Map.groupBy(news, ({ values }) =>
    ids.get(values.category as string),
  ))
    if (categoryId !== undefined)
      pets.push(
        ...(await findPets(petstore, categoryId, [
          ...new Set(rowsOf.map(({ values }) => values.name)),
        ])),
      );
  const fresh = news.filter(({ key }) => !checkpoint.rows.has(key));
  const created = new Set(
    [...checkpoint.rows.values()].flatMap(({ sent, id }) => (sent && id ? [id] : [])),
  );
  const twins = fresh.flatMap(row =>
    namesakesOf(row, pets, catalog).map(({ id }) => ({ row, id })),
  );
  const twinText = ({ row, id }: (typeof twins)[number]) =>
    `${nameOf(row)} is ${toCell(id)}${created.has(id) ? ', which this file created: --undo deletes it' : ''}`;
  if (twins.length > 0 && !options.createsDuplicates)
    throw new Error(
      `These pets exist:\n${twins.slice(0, 10).map(twinText).join('\n')}\nNothing was written. To change a pet, export it, and edit the row with its id. To create others of the same name: --create-duplicates`,
    );
  if (!options.createsDuplicates) checkCategories([...ids.keys()], left, options);
  for (const { key } of fresh) checkpoint.note(key, {});
  return { left, others: pets.filter(({ id }) => !created.has(id)) };
};

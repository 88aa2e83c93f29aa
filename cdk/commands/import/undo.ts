import { print } from '../../command.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { plural } from '../shared/plural.ts';
import { type Found, Gone, Refusal } from './catalog.ts';
import { changedCells, differences, isEmpty, pick, toCell } from './cells.ts';
import { isExpired, type Progress, undoKeyOf } from './checkpoint.ts';
import { noteCreated, sendCreation } from './create.ts';
import type { Import } from './plan.ts';
import { changePet, settle, textOf, type Wanted } from './writes.ts';

/** Finds the pet of a creation without a response. @throws {Refusal} */
const idOf = async (key: string, context: Import): Promise<number | undefined> => {
  const { sent = '' } = context.checkpoint.of(key);
  const lost = new Refusal(`its creation at ${sent} got no response. Look for it in its category`);
  if (isExpired(sent)) throw lost;
  const creation = await sendCreation(key, context);
  // A later attempt has named another category.
  if (creation.error?.code === 'idempotency_key_reused') throw lost;
  // Its category is gone, and a category with a pet cannot be deleted.
  if (creation.response.status === 422) return undefined;
  return (await noteCreated(key, context, creation)).id;
};

/** Deletes a pet that is as the import left it. @throws {Refusal} */
const deleteCreated = async (key: string, id: number, context: Import): Promise<void> => {
  const { petstore, catalog, checkpoint, options } = context;
  await settle(context, key);
  const found = await catalog.find(id, true);
  if (!found) return;
  const ours = await catalog.cellsOf(checkpoint.of(key).applied);
  const now = await catalog.cellsOf(found.values);
  const text = differences(ours, { ...pick(now, ours), ...now }, 'imported', 'now');
  if (text) throw new Refusal(`it was changed since: ${text}`);
  const ordered = new Refusal('it has open orders');
  if (options.isDryRun && (await catalog.reservedOf(id, found.stock)) > 0) throw ordered;
  if (options.isDryRun) return;
  const params = { path: { petId: id }, header: { 'If-Match': found.pet!.tag } };
  const { response, error } = await petstore.DELETE('/pets/{petId}', { params });
  if (response.status === 409) throw ordered;
  if (response.status === 412) throw new Refusal('it was changed meanwhile');
  if (response.status !== 404)
    await explain('The deletion', orThrow({ response, error, data: undefined }));
};

/**
 * Each cell that still has the value of the import gets its former one. The stock changes by the difference, so units that have left
 * since stay away. @throws {Refusal} if the stock cannot be set back: then the pet may be on sale, so nothing else is
 */
const backOf = async (key: string, { values: now }: Found, context: Import): Promise<Wanted> => {
  const { catalog, checkpoint } = context;
  const { applied, before } = checkpoint.of(key);
  const { applied: undone } = checkpoint.of(undoKeyOf(key));
  const { stock: former, ...formerFields } = before;
  const isDue = former !== undefined && !('stock' in undone);
  const stock = Number(now.stock) - Number(applied.stock) + Number(former);
  if (isDue && Number(now.stock) > Number(applied.stock))
    throw new Refusal(`its stock was set since: imported ${applied.stock}, now ${now.stock}`);
  if (isDue && stock < 0)
    throw new Refusal(`${-stock} of the units that the import added have left the shop`);

  const fields = changedCells({ ...now, ...undone }, changedCells(now, formerFields));
  const changed = changedCells({ ...applied, ...undone }, pick(now, fields));
  const back = Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in changed)));
  if (back.categoryId && !(await catalog.nameOf(back.categoryId as number)))
    throw new Refusal('its former category was deleted');
  const [imported, present] = await Promise.all(
    [pick(applied, changed), changed].map(catalog.cellsOf),
  );
  return {
    wanted: { ...back, ...(isDue && stock !== now.stock && { stock }) },
    problem: isEmpty(changed)
      ? undefined
      : `it was changed since: ${differences(imported!, present!, 'imported', 'now')}`,
  };
};

/** @returns what was done @throws {Refusal} */
const undoRow = async (key: string, context: Import): Promise<string> => {
  const { checkpoint, options } = context;
  const { sent, id: known } = checkpoint.of(key);
  const would = options.isDryRun ? 'would be ' : '';
  if (sent) {
    const id = known ?? (options.isDryRun ? undefined : await idOf(key, context));
    if (id !== undefined) await deleteCreated(key, id, context);
    return `${would}deleted`;
  }
  await settle(context, key);
  const undoKey = undoKeyOf(key);
  const { stock: _, ...fields } = checkpoint.of(key).before;
  checkpoint.note(undoKey, { id: known! });
  await changePet(context, undoKey, !isEmpty(fields), found => backOf(key, found, context));
  const text = await textOf(context, checkpoint.of(undoKey));
  return `${would}set back${text && `: ${text}`}`;
};

/** The categories that the import created. */
const nameEmptyCategories = async ({ petstore, catalog, checkpoint }: Import): Promise<void> => {
  for (const [key, { name }] of checkpoint.rows) {
    const categoryId = key.startsWith('category ') && catalog.ids.get(name as string);
    if (!categoryId) continue;
    const some = petstore.GET('/pets', { params: { query: { categoryId, limit: 1 } } });
    if ((await explain('Its pets', orThrow(some))).length === 0)
      print(`category ${name} stays, and is empty`);
  }
};

/** Takes back what the import has done. Its rows are then new. @param wait before each pet @returns the exit code */
export const undo = async (context: Import, wait: () => Promise<void>): Promise<number> => {
  const { checkpoint, options } = context;
  const would = options.isDryRun ? 'would ' : '';
  const isWritten = (key: string, { sent, write, before }: Progress) =>
    !key.startsWith('undo ') && (sent || write || !isEmpty(before));
  const rows = [...checkpoint.rows].filter(row => isWritten(...row));
  let left = 0;
  for (const [key, { id, name, before }] of rows) {
    await wait();
    const who = `${id === undefined ? '' : `${toCell(id)} `}${before.name ?? name}`;
    try {
      const done = await undoRow(key, context).catch(error => {
        if (error instanceof Gone) return 'was deleted';
        throw error;
      });
      print(`${who}: ${done}`);
      checkpoint.reset(key);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const done = await textOf(context, checkpoint.of(undoKeyOf(key)));
      print(
        `${who}: ${would ? 'would stay' : 'stays'}, ${error.message}${done && `; set back: ${done}`}`,
      );
      left++;
    }
  }
  await nameEmptyCategories(context);
  if (rows.some(([, { sent }]) => sent)) print('Complete orders of deleted pets stay.');
  const be = options.isDryRun ? 'would be ' : '';
  print(`${plural(rows.length, 'pet')}: ${rows.length - left} ${be}as before, ${left} ${be}left`);
  return left > 0 ? 1 : 0;
};

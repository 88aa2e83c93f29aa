import { randomUUID } from 'node:crypto';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { listed, Refusal } from './catalog.ts';
import type { Progress } from './checkpoint.ts';
import { isExpired, sendCreation } from './create.ts';
import type { Import } from './plan.ts';
import { cellsOf, differences, revisionOf, toCell, type Values } from './rows.ts';
import { changePet, stateAfter, stateAfterAll } from './writes.ts';

/** A creation can have happened without a response. @returns undefined if it did not @throws {Refusal} */
const idOf = async (key: string, context: Import): Promise<number | undefined> => {
  const { sent, categoryId } = context.checkpoint.of(key);
  if (isExpired(sent!))
    throw new Refusal(`its creation at ${sent} got no response. Look for it in its category`);
  const creation = await sendCreation(key, categoryId!, context);
  if (creation.response.status === 422) return undefined;
  return (await explain(`The pet sent at ${sent}`, orThrow(creation))).id;
};

/** Checks that the pet is as the import left it. @throws {Refusal} */
const check = async (
  id: number,
  state: Values,
  progress: Progress,
  { catalog }: Import,
): Promise<void> => {
  const orders = await catalog.ordersOf(id);
  if (orders.length > 0) throw new Refusal(`it was ordered: ${listed(orders)}`);
  const { old, new: next, write, done, categoryId } = progress as Required<Progress>;
  const category = await catalog.nameOf(categoryId);
  const possible = done
    ? [stateAfterAll(old, next)]
    : [old, ...(write ? [stateAfter(old, write.part)] : [])];
  const cells = possible.map(values => cellsOf({ ...values, category }));
  if (!cells.some(values => revisionOf(id, values) === revisionOf(id, cellsOf(state))))
    throw new Refusal(
      `it was changed since: ${differences(cells.at(-1)!, cellsOf(state), 'imported', 'now')}`,
    );
};

/** Deletes the pet of a row, if nobody has ordered or changed it. */
const deleteCreated = async (key: string, id: number, context: Import): Promise<void> => {
  const { petstore, catalog, checkpoint, options } = context;
  const found = await catalog.read(id);
  if (!found) return;
  const progress = checkpoint.of(key);
  if (!progress.isDeleting) {
    await check(id, found.state, progress, context);
    if (options.isDryRun) return;
    const plan = {
      old: found.state,
      from: cellsOf(found.state),
      new: { quantity: 0 },
      write: undefined,
    };
    checkpoint.note(key, { isDeleting: true, id, ...plan });
  }
  // It fails if the quantity has changed, and then nobody can order the pet.
  const empty = cellsOf(await changePet(context, key));
  const current = await catalog.read(id);
  if (!current) return;
  const text = 'Its quantity is 0 now';
  if (revisionOf(id, cellsOf(current.state)) !== revisionOf(id, empty))
    throw new Refusal(
      `it was changed meanwhile: ${differences(empty, cellsOf(current.state), 'was', 'now')}. ${text}`,
    );
  const params = {
    path: { petId: id },
    header: { 'If-Match': current.petTag, 'Idempotency-Key': randomUUID() },
  };
  const { response, error } = await petstore.DELETE('/pets/{petId}', { params });
  if (response.status === 409 || response.status === 412)
    throw new Refusal(`it was changed meanwhile. ${text}`);
  if (response.status !== 404)
    await explain('The deletion', orThrow({ response, error, data: undefined }));
};

/** Deletes the pets that the import has created. Their rows are then new. @param wait before each pet @returns the exit code */
export const undo = async (context: Import, wait: () => Promise<void>): Promise<number> => {
  const { checkpoint, options } = context;
  const created = [...checkpoint.rows].filter(([, { sent }]) => sent);
  let left = 0;
  for (const [key, { from, id: known }] of created) {
    await wait();
    let id = known;
    const print = (what: string) =>
      console.log(`${id === undefined ? '' : `${toCell(id)} `}${from!.name}: ${what}`);
    try {
      id ??= options.isDryRun ? undefined : await idOf(key, context);
      if (id !== undefined) await deleteCreated(key, id, context);
      print(options.isDryRun ? 'would be deleted' : 'deleted');
      checkpoint.note(key, undefined);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      print(`stays, ${error.message}`);
      checkpoint.note(key, { isDeleting: false });
      left++;
    }
  }
  console.log(`${created.length} created: ${created.length - left} deleted, ${left} left`);
  const changed = [...checkpoint.rows.values()].filter(({ sent, old }) => !sent && old).length;
  if (changed > 0)
    console.log(`${changed} changed pets stay as they are. To repair them: --without-revision`);
  return left > 0 ? 1 : 0;
};

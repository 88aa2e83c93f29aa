import { type Catalog, Refusal, unitsOf } from './catalog.ts';
import type { Progress } from './checkpoint.ts';
import { categoryOf } from './create.ts';
import type { Import } from './plan.ts';
import { repairOf } from './repair.ts';
import {
  cellsOf,
  changedCells,
  differences,
  isFragile,
  type Row,
  revisionOf,
  toCell,
  type Values,
} from './rows.ts';
import { stockTakeOf } from './stock-take.ts';
import { changePet, nextWrite, resultOf, stateAfterAll } from './writes.ts';

/** If no unit will be available, the units in open orders decide whether `sold` is a hold, and whether a hold can end. */
const withReserved = async (
  petId: number,
  state: Values,
  next: Values,
  catalog: Catalog,
): Promise<Values> => {
  const endsHold = state.onHold && next.status === 'available';
  if ((next.quantity ?? state.quantity) !== 0 || !(endsHold || next.status === 'sold'))
    return state;
  const open = catalog.ordersOf(petId, { complete: false });
  // Without a hold, the responses also show whether there are units in open orders.
  const reserved = await (state.onHold ? open : open.catch(() => undefined)).then(
    orders => orders && unitsOf(orders),
  );
  if (endsHold && reserved)
    throw new Refusal(
      `it is on hold without a unit, and ${reserved} are in open orders. Complete or cancel them, then import again`,
    );
  return { ...state, reserved };
};

/** Checks a row with an id against its pet. @returns what the checkpoint needs for its writes @throws {Refusal} */
const planOfChange = async (row: Row, context: Import): Promise<Progress> => {
  const { catalog, options } = context;
  const { revision, counted, values: cells } = row;
  const id = row.id!;
  const found = await catalog.read(id);
  if (!found) throw new Refusal('it does not exist: deleted, or of another stage');
  const from = cellsOf(found.state);
  // Orders may have changed the quantity of a counted pet.
  const isExported =
    revisionOf(id, counted === undefined ? from : { ...from, quantity: cells.quantity }) ===
    revision;
  if (!options.withoutRevision && !isExported) {
    const text = differences(from, cells, 'now', 'in the file');
    throw new Refusal(
      `it was changed since the export. ${text || 'The change is not in the columns of the file'}`,
    );
  }
  const values = options.withoutRevision ? await repairOf(row, context) : cells;
  const quantity = counted === undefined ? values.quantity : await stockTakeOf(row, from, context);
  const next = changedCells(from, { ...values, quantity });
  const [column = '', to] = Object.entries(next).find(([name]) => isFragile(from[name])) ?? [];
  if (column && !options.isXlsx && revisionOf(id, cells) !== revision)
    throw new Refusal(
      `a spreadsheet may have changed ${from[column]} to ${to}; to rename it, use .xlsx`,
    );
  if (next.category !== undefined) await categoryOf(next.category as string, context);
  return { id, from, old: await withReserved(id, found.state, next, catalog), new: next };
};

/** Changes the pet of a row with an id, and prints it. @throws {Refusal} */
export const changeRow = async (row: Row, context: Import): Promise<'changed' | 'unchanged'> => {
  const { checkpoint, options } = context;
  const { line, key, counted } = row;
  try {
    const resumed = checkpoint.of(key);
    const progress = resumed.old ? resumed : await planOfChange(row, context);
    const { id, from, old, new: next } = progress as Required<Progress>;
    const isChange = nextWrite(old, next) !== undefined;
    if (isChange && !resumed.old) checkpoint.note(key, progress);
    const state =
      isChange && !options.isDryRun ? await changePet(context, key) : stateAfterAll(old, next);
    const text = differences(from, next) || (counted === undefined ? '' : 'as expected');
    const what = `${toCell(id)} ${from.name}${counted === undefined ? '' : `, counted ${counted}`}`;
    if (text) console.log(`line ${line}: ${what}: ${text}; ${resultOf(state, next.status)}`);
    return isChange ? 'changed' : 'unchanged';
  } catch (error) {
    const startsAgain = options.withoutRevision || counted !== undefined;
    if (!(error instanceof Refusal && error.isConflict && startsAgain)) throw error;
    checkpoint.note(key, undefined);
    return changeRow(row, context);
  }
};

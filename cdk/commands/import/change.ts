import type { Progress } from './checkpoint.ts';
import { categoryOf } from './create.ts';
import { type Import, Refusal } from './plan.ts';
import { repairOf } from './repair.ts';
import { changedCells, differences, isFragile, type Row, revisionOf, toCell, type Values } from './rows.ts';

/** Checks a row with an id against its pet, and prints what will change: the checkpoint then has it. @throws {Refusal} */
export const planChange = async (row: Row, context: Import): Promise<'changed' | 'unchanged'> => {
  const { catalog, checkpoint, options } = context;
  const { line, key, revision } = row;
  const id = row.id!;
  if (!checkpoint.of(key).old) {
    const { values: old } = (await catalog.read(id)) ?? {};
    if (!old) throw new Refusal('it does not exist: deleted, or of another stage');
    const values = options.withoutRevision ? await repairOf(row, context) : row.values;
    const text = differences(old, values);
    if (!options.withoutRevision && revisionOf(id, old) !== revision)
      throw new Refusal(`it was changed since the export: ${text || 'not in the columns of the file'}`);
    if (!text) return 'unchanged';
    const [column = '', to] = Object.entries(changedCells(old, values)).find(([name]) => isFragile(old[name])) ?? [];
    if (column && !options.isXlsx && revisionOf(id, row.values) !== revision)
      throw new Refusal(`a spreadsheet may have changed ${old[column]} to ${to}; to rename it, use .xlsx`);
    // Without a revision, an equal status is set, too, because the new quantity can change it.
    const next: Values = {
      status: options.withoutRevision ? values.status : undefined,
      ...changedCells(old, values),
    };
    if (next.status === 'available' && (next.quantity ?? old.quantity) === 0)
      throw new Refusal('it cannot be available without a unit');
    checkpoint.note(key, { id, old, new: next });
  }
  const { old, new: next } = checkpoint.of(key) as Required<Progress>;
  console.log(`line ${line}: ${toCell(id)} ${old.name}: ${differences(old, next)}`);
  if (next.category !== undefined) await categoryOf(next.category as string, context);
  return 'changed';
};

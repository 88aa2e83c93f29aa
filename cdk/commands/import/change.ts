import { print } from '../../command.ts';
import type { Found } from './catalog.ts';
import { categoryOf } from './categories.ts';
import {
  changedCells,
  differences,
  digestOfFields,
  isEmpty,
  isFragile,
  toCell,
  type Values,
} from './cells.ts';
import type { Import } from './plan.ts';
import type { Row } from './rows.ts';
import { changePet, resultOf, textOf, type Wanted } from './writes.ts';

/** @param now before the edit */
const fragileIn = (now: Values, fields: Values): string | undefined => {
  const [column, to] = Object.entries(fields).find(([name]) => isFragile(now[name])) ?? [];
  return (
    column && `a spreadsheet may have changed ${now[column]} to ${to}; to rename it, use .xlsx`
  );
};

/**
 * What the pet lacks of a row's edited cells. Its stock and its other cells are compared with the export apart from each other. What
 * the import has written counts as exported, and is never written again.
 */
export const wantedOf = async (
  { key, id, revision, edited }: Row,
  found: Found,
  context: Import,
): Promise<Wanted> => {
  const { catalog, checkpoint, options } = context;
  const { applied, before } = checkpoint.of(key);
  const now = await catalog.cellsOf(found.values);
  const ours = await catalog.cellsOf(applied);
  const { stock: _, ...fields } = changedCells({ ...now, ...ours }, changedCells(now, edited));
  const { stock: expected = revision?.stock, ...ownFields } = ours;
  // A pet that has the stock of the row already may have it by sales after the count.
  const isDone = edited.stock === expected || (!revision && edited.stock === now.stock);
  const stock = isDone ? undefined : edited.stock;

  const wasExported = await catalog.cellsOf({ ...found.values, ...before });
  const isAsExported = !revision || digestOfFields(id!, wasExported) === revision.fields;
  const areMoved = !isEmpty(fields) && !(isAsExported && isEmpty(changedCells(now, ownFields)));
  const hasHold = ours.status === undefined || ours.status === now.status;
  const isMoved = stock !== undefined && !(now.stock === expected && hasHold);
  const moved = [
    areMoved && differences(now, fields, 'now', 'in the file'),
    isMoved && `stock: now ${now.stock}, expected ${expected}, in the file ${stock}`,
    isMoved && !hasHold && `status: now ${now.status}, expected ${ours.status}`,
  ].filter(Boolean);
  const fragile = revision && !options.isXlsx && !areMoved && fragileIn(now, fields);
  const problems = [
    moved.length > 0 &&
      `it was changed since ${revision ? 'the export' : 'its creation'}. ${moved.join('; ')}`,
    fragile,
  ].filter(Boolean);
  const problem = problems.join('; ');
  // The end of a hold must not sell a stock that is refused, and the stock is not for sale without its new hold.
  const isUnsafe = fields.status === 'available' ? isMoved : fields.status && !isMoved;
  if (problem && isUnsafe) return { wanted: {}, problem };
  const { category, ...others } = areMoved || fragile ? {} : fields;
  return {
    wanted: {
      ...others,
      ...(category !== undefined && {
        categoryId: await categoryOf(category as string, context),
      }),
      ...(stock !== undefined && !isMoved && { stock }),
    },
    problem,
  };
};

/** Changes the pet of a row with an id, and prints it. @throws {Refusal} */
export const changeRow = async (row: Row, context: Import): Promise<'changed' | 'unchanged'> => {
  const { line, key, id, values, edited } = row;
  const { checkpoint } = context;
  const { stock: _, ...fields } = edited;
  checkpoint.note(key, { id: id!, name: values.name });
  const state = await changePet(context, key, !isEmpty(fields), found =>
    wantedOf(row, found, context),
  );
  const text = await textOf(context, checkpoint.of(key));
  if (!text) return 'unchanged';
  const name = checkpoint.of(key).before.name ?? values.name ?? '';
  print(`line ${line}: ${toCell(id!)} ${name}: ${text}; ${resultOf(state, values.status)}`);
  return 'changed';
};

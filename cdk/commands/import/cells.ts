import { createHash, randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import { references } from '../../../lib/model/references.ts';
import { NewCategory } from '../../../lib/schemas/category.ts';
import { InventoryUpdate } from '../../../lib/schemas/inventory.ts';
import { NewPet, PetStatus } from '../../../lib/schemas/pet.ts';
import { toSchema } from '../../openapi/to-schema.ts';
import { unescaped } from './read-sheet.ts';

const { name, categoryId: _, status: __, ...fields } = NewPet.shape;
/** Without lists and objects, which are no cells. */
const others = Object.fromEntries(
  Object.entries<z.ZodMiniType>(fields).filter(
    ([, field]) => !/array|object/.test(toSchema(field, 'input').type),
  ),
) as typeof fields;
/** What can change without a unit that leaves or reaches the shelf. `category` is the name, not the id. */
const fieldSchemas = { name, category: NewCategory.shape.name, status: PetStatus, ...others };
/** `status` is what staff decided: `pending` and `sold` are holds. `stock` counts all units in the shop. */
export const schemas = { ...fieldSchemas, stock: InventoryUpdate.shape.quantity };
/** That a pet can lack. */
export const optional = others;
/** The export writes them. The import ignores `reserved`, the units in open orders. */
export const columns: readonly string[] = [
  'id',
  ...Object.keys(fieldSchemas).toSpliced(3, 0, 'stock', 'reserved'),
  'revision',
];

/** Cells by their columns, or what the API has, with `categoryId`. `null`: the pet does not have the field. */
export type Values = Readonly<Record<string, unknown>>;

/** Without what files and spreadsheets change: outer spaces, kinds of line breaks, escaped characters of .xlsx. */
const normal = (value: unknown): unknown =>
  typeof value === 'string'
    ? unescaped(value).replace(/\r\n?/g, '\n').trim() || null
    : (value ?? null);

/** A cell that is undefined in `next` counts as equal. */
export const changedCells = (old: Values, next: Values): Values => {
  const changed = ([column, value]: [string, unknown]) =>
    value !== undefined && normal(value) !== normal(old[column]);
  return Object.fromEntries(Object.entries(next).filter(changed));
};

export const isEmpty = (values: Values): boolean => Object.keys(values).length === 0;

/** Those of the columns of `like`; `null` for a field that the pet does not have. */
export const pick = (values: Values, like: Values): Values =>
  Object.fromEntries(Object.keys(like).map(column => [column, values[column] ?? null]));

/** A spreadsheet can change a text in CSV that does not start with a letter, is a word and a number, or TRUE or FALSE. */
export const isFragile = (text: unknown): boolean =>
  typeof text === 'string' && /^(?!\p{L})|^\p{L}+\P{L}*\d\P{L}*$|^(true|false)$/iu.test(text);

/** Such as `name "Tom" → "Kit"; stock 3 → 4`, or with words `stock: now 3, in the file 4`, in the order of the columns. */
export const differences = (
  old: Values,
  next: Values,
  ...[was, is]: [was?: string, is?: string]
): string => {
  const textOf = (column: string, a?: string, b?: string) =>
    was ? `${column}: ${was} ${a}, ${is} ${b}` : `${column} ${a} → ${b}`;
  return Object.entries(changedCells(old, next))
    .sort(([a], [b]) => columns.indexOf(a) - columns.indexOf(b))
    .map(([column, value]) => textOf(column, JSON.stringify(old[column]), JSON.stringify(value)))
    .join('; ');
};

/** The columns of ids, with what an id belongs to. */
export const prefixes: Readonly<Record<string, string>> = Object.fromEntries([
  ['id', 'pet'],
  ...references
    .filter(({ field }) => field in others)
    .map(({ field, parent }) => [field, parent.toLowerCase()]),
]);
/** Without the prefix, spreadsheets read a number: Excel saves fifteen digits as 2.45E+14. */
export const toCell = (id: number, column = 'id'): string => `${prefixes[column]}-${id}`;

/** With each id in the form of `toCell`. */
export const withSafeIds = (row: Values): Values => {
  const safe = ([column, value]: [string, unknown]) =>
    column in prefixes && typeof value === 'number'
      ? [column, toCell(value, column)]
      : [column, value];
  return Object.fromEntries(Object.entries(row).map(safe));
};

export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 20);

/** Of all cells but the stock. */
export const digestOfFields = (id: number, values: Values): string => {
  const cells = Object.keys(fieldSchemas).map(column => [column, normal(values[column])]);
  return digestOf([id, ...cells.filter(([, value]) => value !== null)]);
};

/**
 * Of one export: what each pet was. The id of the export distinguishes an edit from the same edit of a later one, for which the pet is
 * the same again.
 */
export const revisions = (): ((id: number, cells: Values) => string) => {
  const exported = randomUUID().slice(0, 8);
  return (id, cells) => `r${digestOfFields(id, cells)}.${cells.stock}.${exported}`;
};

/** Undefined: somebody has changed the cell. */
export const revisionIn = (cell: string) => {
  const [, fields, stock, exported] = /^r([\da-f]{20})\.(\d+)\.([\da-f]{8})$/.exec(cell) ?? [];
  return fields === undefined ? undefined : { fields, stock: Number(stock), exported: exported! };
};
export type Revision = NonNullable<ReturnType<typeof revisionIn>>;

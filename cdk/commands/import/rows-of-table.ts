import type { TableReader } from '../audit/table-reader.ts';
import { toCell, type Values } from './rows.ts';

export interface PlacedOrder {
  readonly petId: number;
  readonly quantity: number;
  readonly complete: boolean;
}
type Orders = ReadonlyMap<number, PlacedOrder>;

/**
 * What orders changed in the available quantities since a copy of the table: those placed since took units, and those that were
 * open then and are canceled now returned theirs. A completion changes nothing: its units were reserved before.
 * @returns by pet
 */
export const unitsSince = (then: Orders, now: Orders): Map<number, number> => {
  const units = new Map<number, number>();
  const add = ({ petId, quantity }: PlacedOrder, sign: 1 | -1) =>
    units.set(petId, (units.get(petId) ?? 0) + sign * quantity);
  for (const [id, order] of now) if (!then.has(id)) add(order, -1);
  for (const [id, order] of then) if (!order.complete && !now.has(id)) add(order, 1);
  return units;
};

/**
 * The catalog in a copy of the table, oldest first, each quantity less the orders since. Only a pet on hold has its status: that
 * of any other follows from its quantity. Rows have no revision, because the pets have changed since.
 */
export const rowsOfTable = async (copy: TableReader, current: TableReader, warn: (text: string) => void) => {
  const { resourceOf } = await import('../../../lib/model/table/fields.ts');
  const [pets, categories] = [new Map<number, Values>(), new Map<number, string>()];
  const [then, now] = [new Map<number, PlacedOrder>(), new Map<number, PlacedOrder>()];
  await copy.eachItem(item => {
    if (item.sk === 'PET')
      pets.set(item.id, { ...resourceOf<Values>(item), onHold: item.onHold, units: item.availableQuantity });
    if (item.sk === 'CATEGORY') categories.set(item.id, item.name);
    if (item.sk === 'ORDER') then.set(item.id, item as never);
  });
  await current.eachItem(item => void (item.sk === 'ORDER' && now.set(item.id, item as never)));
  const since = unitsSince(then, now);
  return [...pets]
    .sort(([a], [b]) => a - b)
    .map(([id, { categoryId, status, onHold, units, ...fields }]) => {
      const quantity = Number(units) + (since.get(id) ?? 0);
      if (quantity < 0)
        warn(`${toCell(id)}: ${-quantity} units more were ordered since than it had; its quantity is 0`);
      const cells = { ...fields, category: categories.get(categoryId as number), status: onHold ? status : '' };
      return { ...cells, id: toCell(id), quantity: Math.max(quantity, 0) };
    });
};

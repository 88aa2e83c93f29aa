import { resourceOf } from '../../../lib/model/table/fields.ts';
import { createdAt } from '../../../lib/model/table/id.ts';
import type { Stored } from '../../../lib/model/violation.ts';
import type { Pet } from '../../../lib/schemas/pet.ts';
import type { TableReader } from '../audit/table-reader.ts';
import { cellsOf, reservedIn, revisionCell, toCell, type Values } from './rows.ts';

type Orders = ReadonlyMap<number, Stored>;

/** By pet. A new order took its units; one that was open in the copy and is gone returned them. A completion changes nothing. */
const unitsSince = (then: Orders, now: Orders): Map<number, number> => {
  const units = new Map<number, number>();
  const add = ({ petId, quantity }: Stored, sign: 1 | -1) =>
    units.set(petId, (units.get(petId) ?? 0) + sign * quantity);
  for (const [id, order] of now) if (!then.has(id)) add(order, -1);
  for (const [id, order] of then) if (!order.complete && !now.has(id)) add(order, 1);
  return units;
};

const itemsOf = async ({ eachItem }: TableReader) => {
  const map = () => new Map<number, Stored>();
  const items = { PET: map(), CATEGORY: map(), ORDER: map() };
  await eachItem(item => items[item.sk as keyof typeof items]?.set(item.id, item));
  return items;
};

/** The quantity is the available quantity in the copy, changed by the orders from then to `time`. Oldest pet first. */
export const rowsOfTable = async (
  copy: TableReader,
  current: TableReader,
  time: number,
): Promise<Values[]> => {
  const [then, now] = [await itemsOf(copy), await itemsOf(current)];
  // The import subtracts the later ones.
  for (const id of now.ORDER.keys()) if (createdAt(id) >= time) now.ORDER.delete(id);
  const since = unitsSince(then.ORDER, now.ORDER);
  const open = Map.groupBy(
    [...now.ORDER.values()].filter(({ complete }) => !complete),
    ({ petId }) => petId,
  );
  const pets = [...then.PET.values()].sort((a, b) => a.id - b.id);
  return pets.map(item => {
    const { id, categoryId, ...fields } = resourceOf<Pet>(item);
    const quantity = item.availableQuantity + (since.get(id) ?? 0);
    if (quantity < 0)
      console.error(
        `${toCell(id)}: ${-quantity} units more were ordered since than it had, so the import refuses it`,
      );
    const orders = new Map(
      (open.get(id) ?? []).map(order => [order.id as number, order.quantity as number]),
    );
    const cells = cellsOf({
      ...fields,
      onHold: item.onHold,
      category: then.CATEGORY.get(categoryId)?.name,
    });
    const revision = revisionCell(undefined, time, quantity, orders);
    return {
      ...cells,
      id: toCell(id),
      quantity: Math.max(quantity, 0),
      reserved: reservedIn(orders),
      revision,
    };
  });
};

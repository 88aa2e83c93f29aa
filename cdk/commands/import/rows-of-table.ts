import { resourceOf } from '../../../lib/model/table/fields.ts';
import type { Stored } from '../../../lib/model/violation.ts';
import type { Pet } from '../../../lib/schemas/pet.ts';
import { note } from '../../command.ts';
import type { TableReader } from '../audit/table-reader.ts';
import { revisions, toCell, type Values } from './cells.ts';

const itemsOf = async ({ eachItem }: TableReader) => {
  const map = () => new Map<number, Stored>();
  const items = { PET: map(), CATEGORY: map(), ORDER: map() };
  await eachItem(item => items[item.sk as keyof typeof items]?.set(item.id, item));
  return items;
};

/**
 * The cells of the copy, with its stock less the orders completed since, and the revisions of the pets as they are now. Oldest pet
 * first. A pet that cannot be repaired is named instead.
 */
export const rowsOfTable = async (copy: TableReader, current: TableReader): Promise<Values[]> => {
  const then = await itemsOf(copy);
  const pets = [...then.PET.values()].sort((a, b) => a.id - b.id);
  const keys = pets.map(({ pk, sk }) => ({ pk, sk }));
  // A completion changes an order and its pet at once. So the orders of a pet that is equal before and after they are read are
  // those of that moment.
  const before = await current.read(keys);
  const now = await itemsOf(current);
  const after = await current.read(keys);
  const left = new Map<number, number>();
  for (const [id, { petId, quantity, complete }] of now.ORDER)
    if (complete && !then.ORDER.get(id)?.complete)
      left.set(petId, (left.get(petId) ?? 0) + quantity);

  const gone = new Set<string>();
  const categoryOf = (id: number) => {
    const name = then.CATEGORY.get(id)?.name;
    if (!now.CATEGORY.has(id)) gone.add(name);
    return now.CATEGORY.get(id)?.name ?? name;
  };
  const cellsOf = (item: Stored, units = 0): Values => {
    const { id: _, categoryId, ...fields } = resourceOf<Pet>(item);
    return {
      ...fields,
      category: categoryOf(categoryId),
      status: item.onHold ? item.status : 'available',
      stock: item.availableQuantity + item.reservedQuantity - units,
    };
  };
  const revisionOf = revisions();
  const rows: Values[] = [];
  for (const item of pets) {
    const { id } = item;
    const pet = after.get(item.pk);
    const cells = cellsOf(item, left.get(id));
    const missing = -Number(cells.stock);
    const problem =
      (!pet && 'it was deleted since') ||
      (before.get(item.pk)?.writeCount !== pet?.writeCount && 'it changes now: export again') ||
      (missing > 0 && `${missing} units more have left the shop since than it had`);
    if (problem || !pet) note(`${toCell(id)} ${item.name} is not in the file: ${problem}`);
    else
      rows.push({
        ...cells,
        id: toCell(id),
        reserved: pet.reservedQuantity,
        revision: revisionOf(id, cellsOf(pet)),
      });
  }
  for (const name of gone)
    note(`The category ${name} was deleted since: the import creates it again.`);
  return rows;
};

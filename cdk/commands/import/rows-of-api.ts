import type { Petstore } from '../../openapi/petstore-client.ts';
import { listAll } from '../shared/api.ts';
import { openCatalog } from './catalog.ts';
import { revisions, toCell, type Values } from './cells.ts';

type Listed = { readonly id: number; readonly categoryId: number };

/** Oldest pet first, so that an import creates the pets in the same order. @param turn waits before each request */
export const rowsOfApi = async (
  petstore: Petstore,
  turn: () => Promise<unknown>,
): Promise<Values[]> => {
  const catalog = await openCatalog(petstore, turn);
  const pets = await listAll<Listed>(petstore, '/pets', {}, turn);
  const stocks = await catalog.listStocks();
  const available = await listAll<{ petId: number; quantity: number }>(
    petstore,
    '/store/inventory',
    {},
    turn,
  );
  const quantities = new Map(available.map(({ petId, quantity }) => [petId, quantity]));
  const revisionOf = revisions();
  const rows: Values[] = [];
  for (const { id, ...fields } of pets.reverse()) {
    const stock = stocks.get(id);
    // A pet that the list of stocks lacks is read by its id.
    if (!stock) await turn();
    const listed = stock && {
      stock: { ...stock, tag: '' },
      pet: { fields: { ...fields, status: stock.status }, tag: '' },
    };
    const found = await catalog.find(id, true, listed);
    // It was deleted since the list.
    if (!found) continue;
    const cells = await catalog.cellsOf(found.values);
    const units = found.stock.stock;
    const reserved = Math.max(units - (quantities.get(id) ?? units), 0);
    rows.push({ ...cells, id: toCell(id), reserved, revision: revisionOf(id, cells) });
  }
  return rows;
};

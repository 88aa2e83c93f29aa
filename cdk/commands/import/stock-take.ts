import { setTimeout as sleep } from 'node:timers/promises';
import { listed, Refusal, unitsOf } from './catalog.ts';
import type { Import } from './plan.ts';
import type { Row, Values } from './rows.ts';

/**
 * The quantity after a count: the difference between it and the units of the export is added to the quantity of now. Not the count
 * less the units in open orders: an order that is completed meanwhile does not change the quantity, and its units would be sold again.
 */
export const stockTakeOf = async (
  row: Row,
  { quantity }: Values,
  { catalog, options }: Import,
): Promise<number> => {
  const { id, counted } = row;
  const { quantity: had, reserved } = row.note!;
  const shelf = Number(had) + Number(reserved);
  const isAsExported = () => Number(quantity) + unitsOf(open) === shelf;
  let open = await catalog.ordersOf(id!, { complete: false });
  if (!isAsExported()) {
    // The list can lack an order of the last second, or have one that came after the quantity was read.
    await sleep(options.listDelay);
    open = await catalog.ordersOf(id!, { complete: false });
    if ((await catalog.find(id!))?.state.quantity !== quantity)
      throw Object.assign(new Refusal('it was changed meanwhile'), { isConflict: true });
  }
  if (!isAsExported())
    throw new Refusal(
      `at the export, it had ${had} units and ${reserved} in open orders, now ${quantity} and ${unitsOf(open)}, so units were handed over or came. Export again, count this pet again`,
    );
  const result = Number(quantity) + counted! - shelf;
  if (result >= 0) return result;
  throw new Refusal(
    `${counted} were counted, but ${unitsOf(open)} are in open orders: ${listed(open)}`,
  );
};

import { eraseOrder, reassignOrder } from '../../cdk/commands/shared/owner-orders.ts';
import type { Operation } from './operations.ts';

/** What operator commands do to one order (`npm run client-data` and `orders:reassign`), while requests arrive. */
export const operatorOperations: readonly Operation[] = (['order', 'second'] as const).flatMap(which => [
  {
    name: `erase ${which}`,
    perform: names => eraseOrder(names[which], 'shop'),
    expected: (store, names) => store.eraseOrder('shop', names[which]),
  },
  {
    name: `reassign ${which}`,
    perform: names => reassignOrder(names[which], 'shop', new Map([['shop', 'rival']])),
    expected: (store, names) => store.reassignOrder('shop', 'rival', names[which]),
  },
]);

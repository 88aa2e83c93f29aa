import { allOperations } from '../../../../lib/operations/index.ts';
import type { Check } from '../check.ts';
import { withIds } from './routes.ts';

const narrow = ['catalog', 'orders'] as const;

/** An operation rejects a token without its scope. Paths and bodies name nothing that exists. */
export const scopeChecks: readonly Check[] = [
  ...narrow.flatMap(scope =>
    allOperations
      .filter(({ access }) => access !== 'public' && access !== scope)
      .map(
        ({ id, method, path, request }): Check => ({
          name: `403: ${id} with only the scope ${scope}`,
          request: { method, path: withIds(path), token: scope, ...(request.body && { body: {} }) },
          expect: { error: 'forbidden' },
        }),
      ),
  ),
  {
    name: '403: placeOrder of a complete order with only the scope orders',
    request: { method: 'POST', path: '/store/orders', token: 'orders', body: { petId: 0, complete: true } },
    expect: { error: 'forbidden' },
  },
  {
    name: '403: listOrders for a pet with only the scope orders',
    request: { method: 'GET', path: '/store/orders?petId=1', token: 'orders' },
    expect: { error: 'forbidden' },
  },
];

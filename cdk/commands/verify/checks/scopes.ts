import { allOperations } from '../../../../lib/operations/index.ts';
import type { Check } from '../check.ts';
import { filled } from './routes.ts';

const narrow = ['catalog', 'orders'] as const;

/** A token that lacks the scope of an operation is refused by it, with a path or a body that names nothing. */
export const scopeChecks: readonly Check[] = [
  ...narrow.flatMap(scope =>
    allOperations
      .filter(({ access }) => access !== 'public' && access !== scope)
      .map(
        ({ id, method, path, request }): Check => ({
          name: `403: ${id} with the scope ${scope} alone`,
          ask: { method, path: filled(path), as: scope, ...(request.body && { body: {} }) },
          expect: { error: 'forbidden' },
        }),
      ),
  ),
  {
    name: '403: placeOrder of a complete order with the scope orders alone',
    ask: { method: 'POST', path: '/store/orders', as: 'orders', body: { petId: 0, complete: true } },
    expect: { error: 'forbidden' },
  },
];

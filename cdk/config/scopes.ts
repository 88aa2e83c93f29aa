import type { Scope } from '../../lib/scopes.ts';

/** The descriptions of the scopes in the user pool and in the OpenAPI document. */
export const scopeDescriptions: Record<Scope, string> = {
  catalog: 'Write pets and categories',
  inventory: 'Read and set stock',
  orders: 'Place orders, read and cancel your own',
  'orders.manage': 'Read, complete and cancel all orders; implies orders',
};

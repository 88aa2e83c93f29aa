import type { Scope } from '../../lib/scopes.ts';

/** What a scope allows, as the user pool and the OpenAPI document say it. */
export const scopeDescriptions: Record<Scope, string> = {
  catalog: 'Write pets and categories',
  inventory: 'Read and set stock',
  orders: 'Place orders, read and cancel your own',
  'orders.manage': 'Read, complete and cancel all orders; implies orders',
};

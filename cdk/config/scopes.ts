import { resourceServer, type Scope, scopes, widerScopes } from '../../lib/scopes.ts';

const descriptions: Record<Scope, string> = {
  catalog: 'Write pets and categories',
  inventory: 'Read and set stock',
  orders: 'Place orders, and read and cancel your own',
  'orders.manage': 'Read, change, complete and cancel all orders, and place counter sales',
};

/** For the user pool and the OpenAPI document. */
export const descriptionOf = (scope: Scope): string =>
  [
    descriptions[scope],
    ...scopes.filter(other => widerScopes(other).includes(scope)).map(other => `implies ${resourceServer}/${other}`),
  ].join('; ');

/** The name of a stack output: `staff` → `StaffClientId`. */
export const clientIdOutput = (client: string): string =>
  `${client.charAt(0).toUpperCase()}${client.slice(1)}ClientId`.replace(/[^A-Za-z0-9]/g, '');

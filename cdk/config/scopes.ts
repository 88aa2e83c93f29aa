import { implied, resourceServer, type Scope, scopeOfAllOwners, scopes } from '../../lib/scopes.ts';

const descriptions: Record<Scope, string> = {
  catalog: 'Write pets and categories',
  inventory: 'Set stock',
  'inventory.read': 'Read stock',
  orders: 'Place and cancel your own orders',
  'orders.read': 'Read your own orders',
  'orders.manage': 'Read, change, complete and cancel all orders, and place counter sales',
};

/** For the user pool and the OpenAPI document. */
export const descriptionOf = (scope: Scope): string => {
  const { [scope]: narrower } = implied;
  return narrower
    ? `${descriptions[scope]}; implies ${resourceServer}/${narrower}`
    : descriptions[scope];
};

/**
 * What a client of the stage's pool gets beside a scope, because importers request the scope that the document names for an
 * operation. Nothing below orders.manage: a token without it has other orders, and would turn an error into a short list.
 */
export const grantedBeside = (scope: Scope): Scope | undefined =>
  scope === scopeOfAllOwners ? undefined : implied[scope];

export const grantedScopes = (given: readonly Scope[]): Scope[] => {
  const beside = given.map(grantedBeside);
  return scopes.filter(scope => [...given, ...beside].includes(scope));
};

/** The name of a stack output: `staff` → `StaffClientId`. */
export const clientIdOutput = (client: string): string =>
  `${client.charAt(0).toUpperCase()}${client.slice(1)}ClientId`.replace(/[^A-Za-z0-9]/g, '');

/** The OAuth 2.0 resource server: a token names a scope as `petstore/catalog`. */
export const resourceServer = 'petstore';

/** `orders` allows access to the caller's own orders, `orders.manage` to all orders. A scope with `.read` permits only GET. */
export const scopes = [
  'catalog',
  'inventory',
  'inventory.read',
  'orders',
  'orders.read',
  'orders.manage',
] as const;
export type Scope = (typeof scopes)[number];

/** A scope also implies what the scope that it implies does. */
export const implied: Readonly<Partial<Record<Scope, Scope>>> = {
  inventory: 'inventory.read',
  orders: 'orders.read',
  'orders.manage': 'orders',
};

export const widerScopes = (scope: Scope): Scope[] =>
  scopes.filter(other => implied[other] === scope).flatMap(other => [other, ...widerScopes(other)]);

/** Also allows access to the items of other owners. */
export const scopeOfAllOwners: Scope = 'orders.manage';

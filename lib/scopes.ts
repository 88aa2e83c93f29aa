/** The OAuth 2.0 resource server: a token names a scope as `petstore/catalog`. */
export const resourceServer = 'petstore';

/** The scopes. `orders` allows access to the caller's own orders; `orders.manage` allows access to all orders. */
export const scopes = ['catalog', 'inventory', 'orders', 'orders.manage'] as const;
export type Scope = (typeof scopes)[number];

/** The scopes that each scope includes. */
const included: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { 'orders.manage': ['orders'] };

/** The other scopes that include a scope. */
export const widerScopes = (scope: Scope): Scope[] => scopes.filter(other => included[other]?.includes(scope));

/** With this scope, a caller also has access to the items of other owners. */
export const scopeOfAllOwners: Scope = 'orders.manage';

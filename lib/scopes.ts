/** The OAuth 2.0 resource server: a token names a scope as `petstore/catalog`. */
export const resourceServer = 'petstore';

/** `orders` allows access to the caller's own orders, `orders.manage` to all orders. */
export const scopes = ['catalog', 'inventory', 'orders', 'orders.manage'] as const;
export type Scope = (typeof scopes)[number];

const included: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { 'orders.manage': ['orders'] };

export const widerScopes = (scope: Scope): Scope[] => scopes.filter(other => included[other]?.includes(scope));

/** Also allows access to the items of other owners. */
export const scopeOfAllOwners: Scope = 'orders.manage';

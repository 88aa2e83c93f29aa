/** The OAuth 2.0 resource server: a token names a scope as `petstore/catalog`. */
export const resourceServer = 'petstore';

/** Its scopes. `orders` allows access to the caller's own orders; `orders.manage` to all, and implies it. */
export const scopes = ['catalog', 'inventory', 'orders', 'orders.manage'] as const;
export type Scope = (typeof scopes)[number];

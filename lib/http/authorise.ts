import type { GatewayEvent } from './gateway.ts';

/** Who calls: the token's subject and its scopes, without the resource server's name. */
export interface Caller {
  readonly id: string;
  readonly scopes: readonly string[];
}

export const resourceServer = 'petstore';

/** The caller as the gateway's authoriser verified it; anonymous where the operation has no authoriser. */
export const callerOf = (event: GatewayEvent): Caller => {
  const claims = event.requestContext.authorizer?.claims as { sub?: string; scope?: string } | undefined;
  const scopes = (claims?.scope ?? '').split(' ').filter(scope => scope.startsWith(`${resourceServer}/`));
  return { id: claims?.sub ?? 'anonymous', scopes: scopes.map(scope => scope.slice(resourceServer.length + 1)) };
};

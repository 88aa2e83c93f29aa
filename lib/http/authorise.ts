import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { resourceServer, type Scope } from '../scopes.ts';
import type { GatewayEvent, Middleware } from './gateway.ts';

/** Who calls, as the gateway's authoriser verified it. */
export interface Caller {
  /** The token's subject; anonymous where no token was asked for. */
  readonly id: string;
  readonly may: (scope: Scope) => boolean;
  /** Whose orders the caller sees: its own, or (undefined) everybody's. */
  readonly view: string | undefined;
}

interface Claims {
  readonly sub?: string;
  readonly scope?: string;
  readonly token_use?: string;
}

const claimsOf = (event: GatewayEvent) => event.requestContext.authorizer?.claims as Claims | undefined;

export const callerOf = (event: GatewayEvent): Caller => {
  const { sub: id = 'anonymous', scope = '' } = claimsOf(event) ?? {};
  const held = scope.split(' ');
  const holds = (wanted: Scope) => held.includes(`${resourceServer}/${wanted}`);
  const may = (wanted: Scope) => holds(wanted) || (wanted === 'orders' && holds('orders.manage'));
  return { id, may, view: may('orders.manage') ? undefined : id };
};

/**
 * The gateway takes any scope of the store, because it would answer a missing one with 401; the exact one is checked
 * here. That there is an access token at all is checked again, so that a method without its authoriser stays shut.
 */
export const authorise = ({ access }: Operation): Middleware => ({
  before: ({ event }) => {
    if (access === 'public') return;
    const claims = claimsOf(event);
    if (claims?.sub === undefined || claims.token_use !== 'access') throw new ApiError('unauthenticated');
    if (!callerOf(event).may(access)) throw new ApiError('forbidden');
  },
});

import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { resourceServer, type Scope } from '../scopes.ts';
import type { GatewayEvent, Middleware } from './gateway.ts';

/** Who calls, as the gateway's authoriser verified it. */
export interface Caller {
  /** The client that the token was issued to; anonymous where no token was asked for. */
  readonly id: string;
  readonly may: (scope: Scope) => boolean;
  /** Whose orders the caller sees: its own, or (undefined) everybody's. */
  readonly view: string | undefined;
}

interface Claims {
  readonly client_id?: string;
  readonly sub?: string;
  readonly scope?: string;
  readonly token_use?: string;
}

const claimsOf = (event: GatewayEvent) => event.requestContext.authorizer?.claims as Claims | undefined;

/**
 * Cognito documents what `client_id` is, and nowhere that the `sub` of a machine client equals it
 * (docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
 */
const idOf = ({ client_id: clientId, sub }: Claims) => clientId ?? sub;

export const callerOf = (event: GatewayEvent): Caller => {
  const claims = claimsOf(event) ?? {};
  const id = idOf(claims) ?? 'anonymous';
  const { scope = '' } = claims;
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
    if (!claims || idOf(claims) === undefined || claims.token_use !== 'access') throw new ApiError('unauthenticated');
    if (!callerOf(event).may(access))
      throw new ApiError('forbidden', `The access token does not carry the scope ${resourceServer}/${access}.`);
  },
});

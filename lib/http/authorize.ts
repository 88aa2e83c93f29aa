import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { resourceServer, type Scope } from '../scopes.ts';
import type { GatewayEvent, Middleware } from './gateway.ts';

/** The caller, according to the claims that the gateway's authorizer verified. */
export interface Caller {
  /** The OAuth client that the token was issued to; `anonymous` without a token. */
  readonly clientId: string;
  /** Owner of the caller's orders and idempotency keys: the user of a user's token, else the client. */
  readonly ownerId: string;
  readonly may: (scope: Scope) => boolean;
  /** The orders that the caller can access: its own, or (undefined) all. */
  readonly ownerFilter: string | undefined;
}

interface Claims {
  readonly client_id?: string;
  readonly sub?: string;
  readonly username?: string;
  readonly scope?: string;
  readonly token_use?: string;
}

const claimsOf = (event: GatewayEvent) => event.requestContext.authorizer?.claims as Claims | undefined;

const clientIdOf = ({ client_id: clientId, sub }: Claims) => clientId ?? sub;

/**
 * Cognito's access tokens of users have `username`, which might not be unique: `sub` identifies a user. AWS does not
 * document that the `sub` of a machine client equals its `client_id`
 * (docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
 */
const ownerIdOf = (claims: Claims) => (claims.username === undefined ? clientIdOf(claims) : claims.sub);

export const callerOf = (event: GatewayEvent): Caller => {
  const claims = claimsOf(event) ?? {};
  const clientId = clientIdOf(claims) ?? 'anonymous';
  const ownerId = ownerIdOf(claims) ?? 'anonymous';
  const { scope = '' } = claims;
  const granted = scope.split(' ');
  const isGranted = (name: Scope) => granted.includes(`${resourceServer}/${name}`);
  const may = (name: Scope) => isGranted(name) || (name === 'orders' && isGranted('orders.manage'));
  return { clientId, ownerId, may, ownerFilter: may('orders.manage') ? undefined : ownerId };
};

/**
 * The gateway accepts any scope of the store, because it would return 401 for a missing one; the exact scope is checked
 * here. The token is checked again, so that a method without its authorizer rejects every request.
 */
export const authorize = ({ access }: Operation): Middleware => ({
  before: ({ event }) => {
    if (access === 'public') return;
    const claims = claimsOf(event);
    if (!claims || ownerIdOf(claims) === undefined || claims.token_use !== 'access')
      throw new ApiError('unauthenticated');
    if (!callerOf(event).may(access))
      throw new ApiError('forbidden', `The access token does not have the scope ${resourceServer}/${access}.`);
  },
});

import { environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { resourceServer, type Scope, scopeOfAllOwners, widerScopes } from '../scopes.ts';
import { type GatewayEvent, headerValues, type Middleware } from './gateway.ts';

/** The caller, according to the claims that the gateway's authorizer verified. */
export interface Caller {
  /** The OAuth client that the token was issued to. `anonymous` without a token. */
  readonly clientId: string;
  /** The owner of the caller's orders and idempotency keys: the user of the token, or the client if the token has no user. */
  readonly ownerId: string;
  readonly may: (scope: Scope) => boolean;
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
 * The owner in the claims. A user's access token of Cognito has `username`. This name might not be unique, so `sub` identifies
 * the user. A token without `username` belongs to a machine client. `client_id` identifies it, because AWS does not document that
 * `sub` equals `client_id`
 * (docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
 */
const ownerIdOf = (claims: Claims) => (claims.username === undefined ? clientIdOf(claims) : claims.sub);

export const callerOf = (event: GatewayEvent): Caller => {
  const claims = claimsOf(event) ?? {};
  const clientId = clientIdOf(claims) ?? 'anonymous';
  const ownerId = ownerIdOf(claims) ?? 'anonymous';
  const granted = claims.scope?.split(' ') ?? [];
  const may = (name: Scope) => [name, ...widerScopes(name)].some(one => granted.includes(`${resourceServer}/${one}`));
  return { clientId, ownerId, may };
};

/** The owner whose items the caller can access. Undefined: the caller can access the items of all owners. */
export const ownerFilterOf = ({ ownedBy }: Operation, { may, ownerId }: Caller): string | undefined =>
  !ownedBy || may(scopeOfAllOwners) ? undefined : ownerId;

/** A signed token in its compact form (RFC 7515, section 7.1). The gateway accepts a token with or without `Bearer`. */
const bearerToken = /^(?:Bearer\s+)?[\w-]+\.([\w-]+)\.[\w-]+\s*$/i;

/**
 * Whether the token that the gateway verified was issued at `instant` or later. In the gateway's claims, `iat` is a date without
 * a documented format, so this function reads `iat` from the token itself. If the request has several tokens, it returns false,
 * because the gateway might have verified any of them.
 */
const isIssuedSince = (event: GatewayEvent, instant: string): boolean => {
  const [authorization = '', ...others] = headerValues(event, 'Authorization') ?? [];
  const [, payload] = bearerToken.exec(authorization) ?? [];
  if (!payload || others.length > 0) return false;
  const seconds: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString()).iat;
  return typeof seconds === 'number' && seconds * 1000 >= Date.parse(instant);
};

/**
 * Returns 403 for a token that has neither the scope of the operation nor a scope that includes it. The gateway accepts a token
 * with any scope of the store: if it checked the scope of the operation, it would return 401 instead of 403. Returns 401 without
 * the gateway's claims, so a method that lost its authorizer rejects every request. Returns 401 for a token that was issued
 * before `tokensValidFrom`, because the gateway does not know this setting.
 */
export const authorize = ({ access }: Operation): Middleware => {
  const { tokensValidFrom } = environment;
  return {
    before: ({ event }) => {
      if (access === 'public') return;
      const claims = claimsOf(event);
      if (!claims || ownerIdOf(claims) === undefined || claims.token_use !== 'access')
        throw new ApiError('unauthenticated');
      if (tokensValidFrom && !isIssuedSince(event, tokensValidFrom))
        throw new ApiError('unauthenticated', `The access token was issued before ${tokensValidFrom}; get a new one.`);
      if (!callerOf(event).may(access))
        throw new ApiError(
          'forbidden',
          `The access token does not have the scope ${resourceServer}/${access}. Use a client with this scope.`,
        );
    },
  };
};

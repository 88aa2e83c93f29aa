import { environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { resourceServer, type Scope, scopeOfAllOwners, widerScopes } from '../scopes.ts';
import { type Caller, type GatewayEvent, headerValues, type Middleware } from './gateway.ts';

interface Claims {
  readonly client_id?: string;
  readonly sub?: string;
  readonly username?: string;
  readonly scope?: string;
  readonly token_use?: string;
}

const claimsOf = (event: GatewayEvent) =>
  event.requestContext.authorizer?.claims as Claims | undefined;

const clientIdOf = ({ client_id: clientId, sub }: Claims) => clientId ?? sub;

/**
 * A user's access token of Cognito has `username`, which might not be unique, so `sub` identifies the user. A token without
 * `username` belongs to a machine client. `client_id` identifies it, because AWS does not document that `sub` equals it
 * (docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
 */
const ownerIdOf = (claims: Claims) =>
  claims.username === undefined ? clientIdOf(claims) : claims.sub;

export const callerOf = (event: GatewayEvent): Caller => {
  const claims = claimsOf(event) ?? {};
  const clientId = clientIdOf(claims) ?? 'anonymous';
  const ownerId = ownerIdOf(claims) ?? 'anonymous';
  const granted = claims.scope?.split(' ') ?? [];
  const may = (name: Scope) =>
    [name, ...widerScopes(name)].some(one => granted.includes(`${resourceServer}/${one}`));
  return { clientId, ownerId, may };
};

/** Undefined: the caller can access the items of all owners. */
export const ownerFilterOf = (
  { ownedBy }: Operation,
  { may, ownerId }: Caller,
): string | undefined => (!ownedBy || may(scopeOfAllOwners) ? undefined : ownerId);

/** The compact form of a signed token (RFC 7515, section 7.1). The gateway accepts it with or without `Bearer`. */
const bearerToken = /^(?:Bearer\s+)?[\w-]+\.([\w-]+)\.[\w-]+\s*$/i;

/**
 * Reads `iat` from the token itself, because in the gateway's claims it is a date without a documented format. Returns false for
 * several tokens, because the gateway might have verified any of them.
 */
const isIssuedSince = (event: GatewayEvent, instant: string): boolean => {
  const [authorization = '', ...others] = headerValues(event, 'Authorization') ?? [];
  const [, payload] = bearerToken.exec(authorization) ?? [];
  if (!payload || others.length > 0) return false;
  const seconds: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString()).iat;
  return typeof seconds === 'number' && seconds * 1000 >= Date.parse(instant);
};

/**
 * The gateway accepts a token with any scope of the store, because for a wrong scope it would return 401 instead of 403. It does
 * not know `tokensValidFrom`. Without its claims, this returns 401, so a method that lost its authorizer rejects every request.
 */
export const authorize = ({ access }: Operation): Middleware => {
  const { tokensValidFrom } = environment;
  return {
    before: ({ event, internal }) => {
      if (access === 'public') return;
      const claims = claimsOf(event);
      if (!claims || ownerIdOf(claims) === undefined || claims.token_use !== 'access')
        throw new ApiError('unauthenticated');
      if (tokensValidFrom && !isIssuedSince(event, tokensValidFrom))
        throw new ApiError(
          'unauthenticated',
          `The access token was issued before ${tokensValidFrom}; get a new one.`,
        );
      if (!internal.caller.may(access))
        throw new ApiError(
          'forbidden',
          `The access token does not have the scope ${resourceServer}/${access}. Use a client with this scope.`,
        );
    },
  };
};

import { environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { resourceServer, type Scope, scopeOfAllOwners, widerScopes } from '../scopes.ts';
import { type GatewayEvent, headerValues, type Middleware } from './gateway.ts';

/** The caller, according to the claims that the gateway's authorizer verified. */
export interface Caller {
  /** The OAuth client that the token was issued to; `anonymous` without a token. */
  readonly clientId: string;
  /** Owner of the caller's orders and idempotency keys: the user of a user's token, else the client. */
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
 * Cognito's access tokens of users have `username`, which might not be unique: `sub` identifies a user. AWS does not
 * document that the `sub` of a machine client equals its `client_id`
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

/** The owner of the items that the caller can access; undefined: it can access all. */
export const ownerFilterOf = ({ ownedBy }: Operation, { may, ownerId }: Caller): string | undefined =>
  !ownedBy || may(scopeOfAllOwners) ? undefined : ownerId;

/** A signed token in its compact form (RFC 7515, section 7.1). The gateway accepts it with and without its scheme. */
const bearerToken = /^(?:Bearer\s+)?[\w-]+\.([\w-]+)\.[\w-]+\s*$/i;

/**
 * Whether the token that the gateway verified was issued at an instant or later. In the gateway's claims, `iat` is a date
 * without a documented format, so this function reads `iat` from the token itself. If the request has several tokens, it
 * returns false, because the gateway might have verified any of them.
 */
const isIssuedSince = (event: GatewayEvent, instant: string): boolean => {
  const [authorization = '', ...others] = headerValues(event, 'Authorization') ?? [];
  const [, payload] = bearerToken.exec(authorization) ?? [];
  if (!payload || others.length > 0) return false;
  const seconds: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString()).iat;
  return typeof seconds === 'number' && seconds * 1000 >= Date.parse(instant);
};

/**
 * The gateway accepts a token with any scope of the store. It would return 401 for a missing scope, so this middleware checks
 * the exact scope, and returns 403. It also requires the gateway's claims: a method that lost its authorizer rejects every
 * request. The gateway caches a verified token for five minutes; the time of issue is checked here, for every request.
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

import { SignJWT } from 'jose';
import type { SigningKey } from '../../cdk/local/auth/signing-key.ts';
import { localIssuer } from '../../cdk/local/auth/tokens.ts';

/** `user`: the `sub` of a user of the client; without it, the token is the client's own. */
type Claims = Readonly<{
  client: string;
  user?: string;
  scopes?: readonly string[];
  issuedAt?: number;
}>;

/**
 * With Cognito's claims, for any client or user. The local server has only the stack's clients, no users.
 * @param claims `scopes` without the prefix `petstore/`; `issuedAt` in seconds since 1970, by default now
 */
export const signToken = (key: SigningKey, claims: Claims): Promise<string> => {
  const { client, user, scopes = ['orders'], issuedAt } = claims;
  const scope = scopes.map(name => `petstore/${name}`).join(' ');
  const subject = user ? { sub: user, username: user } : { sub: client };
  return new SignJWT({ ...subject, client_id: client, token_use: 'access', scope })
    .setProtectedHeader({ alg: 'RS256', kid: key.publicJwk.kid! })
    .setIssuer(localIssuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime('10 minutes')
    .sign(key.privateKey);
};

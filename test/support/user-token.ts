import { SignJWT } from 'jose';
import { localIssuer } from '../../cdk/local/auth/local-auth.ts';
import type { SigningKey } from '../../cdk/local/auth/signing-key.ts';

/** A user of a user pool, signed in through an app client. */
export interface SignedInUser {
  readonly user: string;
  readonly client: string;
  /** Without the name of the resource server: `orders`. */
  readonly scopes?: readonly string[];
}

/** An access token with the claims that Cognito's have for users; the local issuer has only machine clients. */
export const signUserToken = (
  key: SigningKey,
  { user, client, scopes = ['orders'] }: SignedInUser,
): Promise<string> => {
  const scope = scopes.map(name => `petstore/${name}`).join(' ');
  return new SignJWT({ sub: user, username: user, client_id: client, token_use: 'access', scope })
    .setProtectedHeader({ alg: 'RS256', kid: key.publicJwk.kid! })
    .setIssuer(localIssuer)
    .setIssuedAt()
    .setExpirationTime('10 minutes')
    .sign(key.privateKey);
};

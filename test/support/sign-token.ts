import { SignJWT } from 'jose';
import type { SigningKey } from '../../cdk/local/auth/signing-key.ts';
import { localIssuer } from '../../cdk/local/auth/tokens.ts';

interface TokenOptions {
  readonly client: string;
  /** The `sub` of a user who signed in through the client. Without it, the token is the client's own. */
  readonly user?: string;
  /** Without the name of the resource server: `orders`. */
  readonly scopes?: readonly string[];
  /** The `iat` in seconds since 1970; by default, now. */
  readonly issuedAt?: number;
}

/** Signs an access token with Cognito's claims. The local issuer knows neither users nor other clients than the stack's. */
export const signToken = (
  key: SigningKey,
  { client, user, scopes = ['orders'], issuedAt }: TokenOptions,
): Promise<string> => {
  const scope = scopes.map(name => `petstore/${name}`).join(' ');
  const subject = user ? { sub: user, username: user } : { sub: client };
  return new SignJWT({ ...subject, client_id: client, token_use: 'access', scope })
    .setProtectedHeader({ alg: 'RS256', kid: key.publicJwk.kid! })
    .setIssuer(localIssuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime('10 minutes')
    .sign(key.privateKey);
};

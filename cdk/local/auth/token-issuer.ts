import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKey } from './signing-key.ts';

/** An app client of the template's user pool. */
export interface AppClient {
  readonly id: string;
  /** Full names: `petstore/orders`. */
  readonly scopes: readonly string[];
  /** The validity of its tokens in seconds. */
  readonly lifetime: number;
}

export interface TokenResponse {
  readonly status: number;
  readonly body: object;
}

/** The secret of every local client; not confidential. */
const localSecret = 'local';

const errorResponse = (status: number, error: string): TokenResponse => ({ status, body: { error } });

const basicCredentials = (authorization: string | undefined): [string, string] | undefined => {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  const [id, ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':');
  return encoded && id ? [id, secret.join(':')] : undefined;
};

/** Signs an access token with the claims of a Cognito client credentials token. */
const signAccessToken = (key: SigningKey, issuer: string, { id, lifetime }: AppClient, scopes: readonly string[]) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: id, token_use: 'access', scope: scopes.join(' '), auth_time: now, version: 2, client_id: id };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: key.publicJwk.kid! })
    .setIssuer(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + lifetime)
    .setJti(randomUUID())
    .sign(key.privateKey);
};

/**
 * Emulates Cognito's token endpoint: the client credentials grant (RFC 6749, section 4.4). The client authenticates with
 * HTTP Basic or with form fields; `scope` limits the token to some scopes of the client.
 */
export const createTokenIssuer =
  (issuer: string, clients: readonly AppClient[], key: SigningKey) =>
  async (authorization: string | undefined, form: string): Promise<TokenResponse> => {
    const fields = new URLSearchParams(form);
    const [id, secret] = basicCredentials(authorization) ?? [fields.get('client_id'), fields.get('client_secret')];
    const client = clients.find(candidate => candidate.id === id);
    if (!client || secret !== localSecret) return errorResponse(400, 'invalid_client');
    if (fields.get('grant_type') !== 'client_credentials') return errorResponse(400, 'unsupported_grant_type');
    const requested = fields.get('scope')?.split(' ').filter(Boolean) ?? [];
    if (requested.some(scope => !client.scopes.includes(scope))) return errorResponse(400, 'invalid_scope');
    const token = await signAccessToken(key, issuer, client, requested.length > 0 ? requested : client.scopes);
    return { status: 200, body: { access_token: token, expires_in: client.lifetime, token_type: 'Bearer' } };
  };

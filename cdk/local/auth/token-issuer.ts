import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { TokenKey } from './signing-key.ts';

/** A machine client, as the template's user pool has it. */
export interface Client {
  readonly id: string;
  /** Full names: `petstore/orders`. */
  readonly scopes: readonly string[];
  /** Seconds that a token lives. */
  readonly lifetime: number;
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: object;
}

/** The secret of every local client, which everybody may know. */
const localSecret = 'local';

const refuse = (status: number, error: string): TokenAnswer => ({ status, body: { error } });

const basicCredentials = (authorization: string | undefined): [string, string] | undefined => {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  const [id, ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':');
  return encoded && id ? [id, secret.join(':')] : undefined;
};

/** Signs an access token with the claims that Cognito gives a machine client. */
const signAccessToken = (key: TokenKey, issuer: string, { id, lifetime }: Client, scopes: readonly string[]) => {
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
 * Stands in for Cognito's token endpoint: the client credentials grant (RFC 6749, section 4.4), the client by HTTP Basic
 * or by form fields, `scope` narrowing the token to some of what the client holds.
 */
export const createIssuer =
  (issuer: string, clients: readonly Client[], key: TokenKey) =>
  async (authorization: string | undefined, form: string): Promise<TokenAnswer> => {
    const fields = new URLSearchParams(form);
    const [id, secret] = basicCredentials(authorization) ?? [fields.get('client_id'), fields.get('client_secret')];
    const client = clients.find(candidate => candidate.id === id);
    if (!client || secret !== localSecret) return refuse(400, 'invalid_client');
    if (fields.get('grant_type') !== 'client_credentials') return refuse(400, 'unsupported_grant_type');
    const wanted = fields.get('scope')?.split(' ').filter(Boolean) ?? [];
    if (wanted.some(scope => !client.scopes.includes(scope))) return refuse(400, 'invalid_scope');
    const token = await signAccessToken(key, issuer, client, wanted.length > 0 ? wanted : client.scopes);
    return { status: 200, body: { access_token: token, expires_in: client.lifetime, token_type: 'Bearer' } };
  };

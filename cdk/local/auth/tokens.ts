import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { localRegion } from '../../aws/aws-client.ts';
import type { AppClient } from '../../synthesis/api.ts';
import { readersOf } from '../private.ts';
import type { SigningKey } from './signing-key.ts';

/** Has the format of a Cognito issuer; nobody requests this URL. */
export const localIssuer = `https://cognito-idp.${localRegion}.amazonaws.com/${localRegion}_local`;

/** As at a Cognito domain. */
export const tokenPath = '/oauth2/token';

/** The JSON Web Key Set (RFC 7517). */
const keysPath = '/.well-known/jwks.json';

/** Of every client, unless the server is private. Not confidential. */
const localSecret = 'local';

const basicCredentials = (authorization = ''): [string, string] | undefined => {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const [id = '', ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':');
  return encoded ? [id, secret.join(':')] : undefined;
};

/** The claims are those of a Cognito client credentials token. */
const signAccessToken = (
  key: SigningKey,
  { id, lifetime }: AppClient,
  scopes: readonly string[],
) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sub: id,
    token_use: 'access',
    scope: scopes.join(' '),
    auth_time: now,
    version: 2,
    client_id: id,
  };
  return new SignJWT({
    ...claims,
    iss: localIssuer,
    iat: now,
    exp: now + lifetime,
    jti: randomUUID(),
  })
    .setProtectedHeader({ alg: 'RS256', kid: key.publicJwk.kid! })
    .sign(key.privateKey);
};

/**
 * Emulates the client credentials grant of Cognito's token endpoint (RFC 6749, section 4.4), with HTTP Basic or form fields. The
 * method must be POST, and any origin may read the response (Cognito developer guide, "The token issuer endpoint"). Preflights
 * fail, because Cognito does not document them.
 * @returns a function that returns false for any request but one for a token or the keys
 */
export const createTokenEndpoint = (
  clients: readonly AppClient[],
  key: SigningKey,
  privateSecret?: string,
) => {
  const issue = async (
    authorization: string | undefined,
    form: string,
  ): Promise<[status: number, body: object]> => {
    const fields = new URLSearchParams(form);
    const [id, secret] = basicCredentials(authorization) ?? [
      fields.get('client_id'),
      fields.get('client_secret'),
    ];
    const client = clients.find(candidate => candidate.id === id);
    if (!client || secret !== (privateSecret ?? localSecret))
      return [400, { error: 'invalid_client' }];
    if (fields.get('grant_type') !== 'client_credentials')
      return [400, { error: 'unsupported_grant_type' }];
    const requested = fields.get('scope')?.split(' ').filter(Boolean) ?? [];
    if (requested.some(scope => !client.scopes.includes(scope)))
      return [400, { error: 'invalid_scope' }];
    const token = await signAccessToken(
      key,
      client,
      requested.length > 0 ? requested : client.scopes,
    );
    return [200, { access_token: token, expires_in: client.lifetime, token_type: 'Bearer' }];
  };
  return async (request: IncomingMessage, body: string, response: ServerResponse) => {
    const { url, method, headers } = request;
    const path = url?.split('?')[0];
    if (path !== tokenPath && path !== keysPath) return false;
    const send = ([status, content]: [number, object], more: Record<string, string> = {}) =>
      response
        .writeHead(status, {
          'Content-Type': 'application/json',
          'Cache-Control': 'no-store',
          ...more,
        })
        .end(JSON.stringify(content));
    if (path === keysPath) send([200, { keys: [key.publicJwk] }]);
    else if (method !== 'POST') send([405, { error: 'invalid_request' }], { Allow: 'POST' });
    else
      send(await issue(headers.authorization, body), {
        'Access-Control-Allow-Origin': readersOf(request, privateSecret),
      });
    return true;
  };
};

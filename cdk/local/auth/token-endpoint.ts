import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SigningKey } from './signing-key.ts';
import type { TokenResponse } from './token-issuer.ts';

/** The same path as at a Cognito domain. */
export const tokenPath = '/oauth2/token';

/** The JSON Web Key Set (RFC 7517). */
const keysPath = '/.well-known/jwks.json';

/**
 * Cognito's token endpoint over HTTP: only POST, and any origin may read the response (Cognito developer guide, "The token
 * issuer endpoint"). Preflight requests are not supported, because nothing documents that Cognito supports them.
 * @returns false for any other path; there is no response then
 */
export const createTokenEndpoint =
  (
    issueToken: (authorization: string | undefined, form: string) => Promise<TokenResponse>,
    { publicJwk }: SigningKey,
  ) =>
  async (request: IncomingMessage, body: string, response: ServerResponse): Promise<boolean> => {
    const path = request.url?.split('?')[0];
    if (path !== tokenPath && path !== keysPath) return false;
    const send = (status: number, content: object, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers })
        .end(JSON.stringify(content));
    if (path === keysPath) send(200, { keys: [publicJwk] });
    else if (request.method !== 'POST') send(405, { error: 'invalid_request' }, { Allow: 'POST' });
    else {
      const { status, body: content } = await issueToken(request.headers.authorization, body);
      send(status, content, { 'Access-Control-Allow-Origin': '*' });
    }
    return true;
  };

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenKey } from './signing-key.ts';
import type { TokenAnswer } from './token-issuer.ts';

/** Where tokens are issued, as at Cognito's domain. */
export const tokenPath = '/oauth2/token';

/** Where the public keys are. RFC 7517. */
const keysPath = '/.well-known/jwks.json';

/**
 * Cognito's token endpoint over HTTP: POST alone, and any origin may read the answer (Cognito developer guide, "The token
 * issuer endpoint"). It answers no preflight, since nothing says that Cognito's does.
 * @returns false where something else was asked for, which is then not answered
 */
export const createTokenEndpoint =
  (issueToken: (authorization: string | undefined, form: string) => Promise<TokenAnswer>, { publicJwk }: TokenKey) =>
  async (request: IncomingMessage, body: string, response: ServerResponse): Promise<boolean> => {
    const path = request.url?.split('?')[0];
    if (path !== tokenPath && path !== keysPath) return false;
    const send = (status: number, answer: object, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers })
        .end(JSON.stringify(answer));
    if (path === keysPath) send(200, { keys: [publicJwk] });
    else if (request.method !== 'POST') send(405, { error: 'invalid_request' }, { Allow: 'POST' });
    else {
      const { status, body: answer } = await issueToken(request.headers.authorization, body);
      send(status, answer, { 'Access-Control-Allow-Origin': '*' });
    }
    return true;
  };

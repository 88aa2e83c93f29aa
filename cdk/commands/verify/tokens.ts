import { resourceServer } from '../../../lib/scopes.ts';
import { findTokenUrl } from '../shared/find-token-url.ts';
import type { TokenKind } from './send.ts';

/** A client of the stage, or an access token. */
export type Credentials =
  | { readonly client: string; readonly secret: string; readonly tokenUrl?: string | undefined }
  | { readonly token: string };

/** Requests a token with client credentials (RFC 6749, section 4.4). @param scope the only scope of the token */
const issueToken = async (url: string, client: string, secret: string, scope?: string): Promise<string> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client}:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope && { scope: `${resourceServer}/${scope}` }),
    }),
  });
  const body = (await response.json().catch(() => ({}))) as { access_token?: string; error?: string };
  if (body.access_token) return body.access_token;
  throw new Error(`${url} issued no token for the client "${client}": ${response.status} ${body.error ?? ''}`);
};

/** The client's token, and two tokens with a single scope. @throws when no token is issued */
export const tokensOf = async (base: string, credentials: Credentials): Promise<Map<TokenKind, string>> => {
  if ('token' in credentials) return new Map([['client', credentials.token]]);
  const { client, secret } = credentials;
  const url = credentials.tokenUrl ?? (await findTokenUrl(base));
  const tokens = new Map<TokenKind, string>([['client', await issueToken(url, client, secret)]]);
  for (const scope of ['catalog', 'orders'] as const) tokens.set(scope, await issueToken(url, client, secret, scope));
  return tokens;
};

/** Whether a token has a scope. A token of Cognito is a JSON Web Token; its `scope` is a list separated by spaces. */
export const hasScope = (token: string, scope: string): boolean => {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return String(JSON.parse(payload || '{}').scope)
    .split(' ')
    .includes(`${resourceServer}/${scope}`);
};

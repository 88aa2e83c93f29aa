import { resourceServer } from '../../../lib/scopes.ts';
import { findTokenUrl } from '../shared/find-token-url.ts';
import type { Who } from './send.ts';

/** A client of the stage, or a token that it was given. */
export type Credentials =
  | { readonly client: string; readonly secret: string; readonly tokenUrl?: string | undefined }
  | { readonly token: string };

/** By client credentials (RFC 6749, section 4.4). @param scope narrows the token to one @throws when none is issued */
const issueToken = async (url: string, client: string, secret: string, scope?: string): Promise<string> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client}:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope && { scope: `${resourceServer}/${scope}` }),
    }),
  });
  const answer = (await response.json().catch(() => ({}))) as { access_token?: string; error?: string };
  if (answer.access_token) return answer.access_token;
  throw new Error(`${url} gives the client "${client}" no token: ${response.status} ${answer.error ?? ''}`);
};

/** The client's token, and two that are narrowed; of a token that was passed in there are none. @throws when none is issued */
export const tokensOf = async (base: string, credentials: Credentials): Promise<Map<Who, string>> => {
  if ('token' in credentials) return new Map([['client', credentials.token]]);
  const { client, secret } = credentials;
  const url = credentials.tokenUrl ?? (await findTokenUrl(base));
  const tokens = new Map<Who, string>([['client', await issueToken(url, client, secret)]]);
  for (const scope of ['catalog', 'orders'] as const) tokens.set(scope, await issueToken(url, client, secret, scope));
  return tokens;
};

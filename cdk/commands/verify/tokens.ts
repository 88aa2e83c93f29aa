import { findTokenUrl, issueToken } from '../shared/tokens.ts';
import type { Who } from './exchange.ts';

/** A client of the stage, or a token that it was given. */
export type Credentials = { readonly client: string; readonly secret: string } | { readonly token: string };

/** The client's token, and two that are narrowed; of a token that was passed in there are none. @throws when none is issued */
export const tokensOf = async (base: string, credentials: Credentials): Promise<Map<Who, string>> => {
  if ('token' in credentials) return new Map([['client', credentials.token]]);
  const { client, secret } = credentials;
  const url = await findTokenUrl(base);
  const tokens = new Map<Who, string>([['client', await issueToken(url, client, secret)]]);
  for (const scope of ['catalog', 'orders'] as const) tokens.set(scope, await issueToken(url, client, secret, scope));
  return tokens;
};

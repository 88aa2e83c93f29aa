import { resourceServer } from '../../lib/scopes.ts';
import type { Who } from './exchange.ts';

/** A client of the stage, or a token that it was given. */
export type Credentials = { readonly client: string; readonly secret: string } | { readonly token: string };

interface Document {
  readonly components?: {
    readonly securitySchemes?: Record<string, { flows?: { clientCredentials?: { tokenUrl?: string } } }>;
  };
}

/** Where the document that a stage serves says that tokens are issued. @throws when it does not say */
export const findTokenUrl = async (base: string): Promise<string> => {
  const response = await fetch(`${base}/openapi.json`);
  const { components } = ((await response.json().catch(() => ({}))) ?? {}) as Document;
  const tokenUrl = components?.securitySchemes?.oauth2?.flows?.clientCredentials?.tokenUrl;
  const found = tokenUrl && URL.parse(tokenUrl, `${base}/`);
  // What the committed document has where a stage does not know its pool's address.
  if (found && !found.hostname.endsWith('.example.com')) return found.href;
  throw new Error(`${base}/openapi.json does not say where tokens are issued: pass --token, or set tokenUrl`);
};

const issue = async (url: string, client: string, secret: string, scope?: string): Promise<string> => {
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
  throw new Error(`${url} gives the client ${client} no token: ${response.status} ${answer.error ?? ''}`);
};

/** The client's token, and two that are narrowed; of a token that was passed in there are none. @throws when none is issued */
export const tokensOf = async (base: string, credentials: Credentials): Promise<Map<Who, string>> => {
  if ('token' in credentials) return new Map([['client', credentials.token]]);
  const { client, secret } = credentials;
  const url = await findTokenUrl(base);
  const tokens = new Map<Who, string>([['client', await issue(url, client, secret)]]);
  for (const scope of ['catalog', 'orders'] as const) tokens.set(scope, await issue(url, client, secret, scope));
  return tokens;
};

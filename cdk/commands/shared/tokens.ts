import { resourceServer } from '../../../lib/scopes.ts';

interface Document {
  readonly components?: {
    readonly securitySchemes?: Record<string, { flows?: { clientCredentials?: { tokenUrl?: string } } }>;
  };
}

/** Where the document that a stage serves says that tokens are issued. @throws when it does not say */
export const findTokenUrl = async (base: string, ask: (url: string) => Promise<Response> = fetch): Promise<string> => {
  const response = await ask(`${base}/openapi.json`);
  const { components } = ((await response.json().catch(() => ({}))) ?? {}) as Document;
  const tokenUrl = components?.securitySchemes?.oauth2?.flows?.clientCredentials?.tokenUrl;
  const found = tokenUrl && URL.parse(tokenUrl, `${base}/`);
  // What the committed document has where a stage does not know its pool's address.
  if (found && !found.hostname.endsWith('.example.com')) return found.href;
  throw new Error(`${base}/openapi.json does not say where tokens are issued: set the stage's tokenUrl`);
};

/** By client credentials (RFC 6749, section 4.4). @param scope narrows the token to one @throws when none is issued */
export const issueToken = async (url: string, client: string, secret: string, scope?: string): Promise<string> => {
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

import { readFile } from 'node:fs/promises';
import { handle } from '../lib/http/handle.ts';
import { getOpenApi } from '../lib/operations/getOpenApi.ts';

/** Where this stage's tokens come from: an address, or (on one machine) a path of this very server. */
const tokenUrl = (baseUrl: string): string | undefined => {
  const address = process.env.TOKEN_URL;
  return address?.startsWith('/') ? baseUrl + address : address;
};

export const handler = handle(getOpenApi)(async ({ baseUrl }) => {
  const document = JSON.parse(await readFile(new URL('openapi.json', import.meta.url), 'utf8'));
  const { clientCredentials } = document.components.securitySchemes.oauth2.flows;
  clientCredentials.tokenUrl = tokenUrl(baseUrl) ?? clientCredentials.tokenUrl;
  document.servers[0].url = baseUrl;
  return document;
});

import { readFile } from 'node:fs/promises';
import { handle } from '../lib/http/handle.ts';
import { tokenUrl } from '../lib/http/token-url.ts';
import { getOpenApi } from '../lib/operations/getOpenApi.ts';

export const handler = handle(getOpenApi)(async ({ baseUrl }) => {
  const document = JSON.parse(await readFile(new URL('openapi.json', import.meta.url), 'utf8'));
  const { clientCredentials } = document.components.securitySchemes.oauth2.flows;
  clientCredentials.tokenUrl = tokenUrl(baseUrl) ?? clientCredentials.tokenUrl;
  document.servers[0].url = baseUrl;
  return document;
});

import { readFile } from 'node:fs/promises';
import { handle } from '../lib/http/handle.ts';
import { tokenUrl } from '../lib/http/token-url.ts';
import { exampleTokenUrl, exampleUrl, getOpenApi } from '../lib/operations/getOpenApi.ts';

export const handler = handle(getOpenApi)(async ({ baseUrl }) => {
  const text = await readFile(new URL('openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(
    text
      .replaceAll(exampleTokenUrl, tokenUrl(baseUrl) ?? exampleTokenUrl)
      .replaceAll(exampleUrl, baseUrl),
  );
  document.servers[0].url = baseUrl;
  return document;
});

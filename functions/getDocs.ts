import { readFile } from 'node:fs/promises';
import { pageFile, pageType } from '../lib/docs-files.ts';
import { contentSecurityPolicy } from '../lib/http/content-security-policy.ts';
import { handle } from '../lib/http/handle.ts';
import { tokenUrl } from '../lib/http/token-url.ts';
import { getDocs } from '../lib/operations/getDocs.ts';

export const handler = handle(getDocs)(async ({ baseUrl }) => {
  const page = await readFile(new URL(pageFile, import.meta.url), 'utf8');
  const content = page
    .replaceAll('{{base}}', new URL(baseUrl).pathname.replace(/\/$/, ''))
    .replaceAll('{{url}}', baseUrl)
    .replaceAll('{{tokenUrl}}', tokenUrl(baseUrl) ?? 'TOKEN_URL');
  // RFC 8631.
  const link = `<${baseUrl}/openapi.json>; rel="service-desc", <${baseUrl}/docs/guide.md>; rel="service-doc"`;
  return {
    content,
    type: pageType,
    policy: contentSecurityPolicy(baseUrl, tokenUrl(baseUrl)),
    link,
  };
});

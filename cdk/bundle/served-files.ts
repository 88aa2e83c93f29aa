import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type filesOfPage, pageFile } from '../../lib/docs-files.ts';
import type { Document } from '../openapi/document-types.ts';
import { guideText, pageHtml } from '../openapi/page.ts';
import { postmanCollection } from '../openapi/postman-collection.ts';
import { stages } from '../stages.ts';
import type { FunctionName } from './function-names.ts';
import { pathsFile, writePaths } from './write-paths.ts';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const inOpenApi = (file: string): string => join(import.meta.dirname, '../openapi', file);

/** One file: petstore-client.ts, and the types of the API. */
const typedClient = async (): Promise<string> => {
  await writePaths();
  const client = readFileSync(inOpenApi('petstore-client.ts'), 'utf8').replace(/^import type { paths } .*\n/m, '');
  return `// A client of the Petstore API. It needs the package openapi-fetch.\n\n${client}\n${readFileSync(pathsFile, 'utf8')}`;
};

/** As llmstxt.org describes it: Markdown with links to Markdown and plain text. */
const llmsText = () => `# Petstore API

> The Petstore API: JSON over HTTP, with OAuth 2.0 client credentials, idempotency keys and webhooks.

- [Guide](guide.md): tokens, pagination, retries, errors, rate limits, events
- [OpenAPI 3.0.3 document](../openapi.json): every operation
- [Client for TypeScript](petstore.ts): one file, needs openapi-fetch
- [Changelog](changelog.md)
`;

/** The committed file states the default limits and dates. If `prod` has others, the document is generated. */
const openApi = async (): Promise<string | Buffer> => {
  const { limits, lifeCycle } = stages.prod ?? {};
  if (!limits && !lifeCycle) return readFileSync(inOpenApi('openapi.json'));
  // Imported here, because it loads slowly. The URL hides it from `npm run dev`, which restarts if an imported file changes.
  const url = new URL('../openapi/document-file.ts', import.meta.url).href;
  const { documentText }: typeof import('../openapi/document-file.ts') = await import(url);
  return documentText({ ...(limits && { limits }), ...(lifeCycle && { lifeCycle }) });
};

const documented = async (): Promise<Document> => JSON.parse(String(await openApi()));

type Source = string | (() => string | Promise<string | Buffer>);

/** The files that functions serve: deployed beside the bundle, and read at runtime. */
export const servedFiles: Partial<Record<FunctionName, Record<string, Source>>> = {
  getOpenApi: { 'openapi.json': openApi },
  getDocs: { [pageFile]: async () => pageHtml(await documented()) },
  getDocsFile: {
    'changelog.md': inOpenApi('../../CHANGELOG.md'),
    'guide.md': async () => `# Petstore API\n\n${await guideText(await documented())}`,
    'llms.txt': llmsText,
    'page.css': inOpenApi('page.css'),
    'page.js': inOpenApi('page.js'),
    'petstore.postman_collection.json': postmanCollection,
    'petstore.ts': typedClient,
    'swagger-ui-bundle.js': join(swaggerUi, 'swagger-ui-bundle.js'),
    'swagger-ui.css': join(swaggerUi, 'swagger-ui.css'),
  } satisfies Record<keyof typeof filesOfPage, Source>,
};

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type filesOfPage, pageFile } from '../../lib/docs-files.ts';
import { tempFolder } from '../files/temp-folder.ts';
import type { Document } from '../openapi/document-types.ts';
import { guideText, pageHtml } from '../openapi/page.ts';
import { postmanCollection } from '../openapi/postman-collection.ts';
import { committed, inOpenApi, type Source } from './served-file.ts';
import { pathsFile, writePaths } from './write-paths.ts';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** One file: petstore-client.ts, and the types of the API. */
const typedClient = async (document: string): Promise<string> => {
  const types = document === committed() ? pathsFile : join(tempFolder('types'), 'paths.ts');
  await writePaths(types, document);
  const client = readFileSync(inOpenApi('petstore-client.ts'), 'utf8').replace(
    /^import type { paths } .*\n/m,
    '',
  );
  return `// A client of the Petstore API. It needs the package openapi-fetch.\n\n${client}\n${readFileSync(types, 'utf8')}`;
};

/** As llmstxt.org describes it: Markdown with links to Markdown and plain text. */
const llmsText = () => `# Petstore API

> The Petstore API: JSON over HTTP, with OAuth 2.0 client credentials, idempotency keys and webhooks.

- [Guide](guide.md): tokens, pagination, retries, errors, rate limits, events
- [OpenAPI 3.0.3 document](../openapi.json): every operation
- [Client for TypeScript](petstore.ts): one file, needs openapi-fetch
- [Changelog](changelog.md)
`;

const parse = (document: string): Document => JSON.parse(document);

export const filesOfFunctions = {
  getDocs: { [pageFile]: document => pageHtml(parse(document)) },
  getDocsFile: {
    'changelog.md': inOpenApi('../../CHANGELOG.md'),
    'guide.md': document => `# Petstore API\n\n${guideText(parse(document))}`,
    'llms.txt': llmsText,
    'page.css': inOpenApi('page.css'),
    'page.js': inOpenApi('page.js'),
    'petstore.postman_collection.json': document => postmanCollection(parse(document)),
    'petstore.ts': typedClient,
    'swagger-ui-bundle.js': join(swaggerUi, 'swagger-ui-bundle.js'),
    'swagger-ui.css': join(swaggerUi, 'swagger-ui.css'),
  } satisfies Record<keyof typeof filesOfPage, Source>,
} satisfies Record<string, Record<string, Source>>;

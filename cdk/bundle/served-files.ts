import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type filesOfPage, pageFile } from '../../lib/docs-files.ts';
import type { StageSettings } from '../config/settings.ts';
import { tempFolder } from '../files/temp-folder.ts';
import type { Document } from '../openapi/document-types.ts';
import { guideText, pageHtml } from '../openapi/page.ts';
import { postmanCollection } from '../openapi/postman-collection.ts';
import type { FunctionName } from './function-names.ts';
import { pathsFile, writePaths } from './write-paths.ts';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const inOpenApi = (file: string): string => join(import.meta.dirname, '../openapi', file);

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

const committed = () => readFileSync(inOpenApi('openapi.json'), 'utf8');

/** The committed file states the default limits and dates. For a stage with others, the document is generated. */
const documentOf = async ({ limits = {}, lifeCycle }: StageSettings): Promise<string> => {
  if (Object.keys(limits).length === 0 && !lifeCycle) return committed();
  // Imported here, because it loads slowly. The URL hides it from `npm run dev`, which restarts if an imported file changes.
  const url = new URL('../openapi/document-file.ts', import.meta.url).href;
  const { documentText }: typeof import('../openapi/document-file.ts') = await import(url);
  return documentText({ limits, ...(lifeCycle && { lifeCycle }) });
};

/** A path, or a text that is made of the stage's document. */
type Source = string | ((document: string) => string | Promise<string>);
const parse = (document: string): Document => JSON.parse(document);

/** The files that functions serve: deployed beside the bundle, and read at runtime. */
export const servedFiles: Partial<Record<FunctionName, Record<string, Source>>> = {
  getOpenApi: { 'openapi.json': document => document },
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
};

/** The files of a function, with the limits and dates of these settings. */
export const readServedFiles = async (name: FunctionName, settings: StageSettings = {}) => {
  const sources = Object.entries(servedFiles[name] ?? {});
  const document = sources.length > 0 ? await documentOf(settings) : '';
  const read = async (source: Source) =>
    typeof source === 'function' ? source(document) : readFileSync(source);
  return Promise.all(sources.map(async ([file, source]) => [file, await read(source)] as const));
};

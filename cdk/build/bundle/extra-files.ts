import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type filesOfPage, pageFile } from '../../../lib/docs-files.ts';
import { typedClient } from '../../openapi/typed-client.ts';
import type { FunctionName } from './function-names.ts';

const root = join(import.meta.dirname, '../../..');
const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/**
 * Files that are deployed with a bundle and read at runtime: the OpenAPI document and the documentation page. Each has the path
 * of its source, or a function that returns its content.
 */
export const extraFiles: Partial<Record<FunctionName, Record<string, string | (() => string)>>> = {
  getOpenApi: { 'openapi.json': join(root, 'cdk/openapi/openapi.json') },
  getDocs: { [pageFile]: join(root, 'cdk/openapi/page.html') },
  getDocsFile: {
    'changelog.md': join(root, 'CHANGELOG.md'),
    'page.css': join(root, 'cdk/openapi/page.css'),
    'page.js': join(root, 'cdk/openapi/page.js'),
    'petstore.ts': typedClient,
    'swagger-ui-bundle.js': join(swaggerUi, 'swagger-ui-bundle.js'),
    'swagger-ui.css': join(swaggerUi, 'swagger-ui.css'),
  } satisfies Record<keyof typeof filesOfPage, string | (() => string)>,
};

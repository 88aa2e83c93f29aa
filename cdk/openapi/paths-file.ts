import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { documentText } from './document-file.ts';

/** The committed types of the client. */
export const pathsFile = join(import.meta.dirname, 'paths.ts');

export const pathsText = async (): Promise<string> =>
  `// The types of the API, generated from its OpenAPI document. Do not edit.\n${astToString(await openapiTypescript(documentText()))}`;

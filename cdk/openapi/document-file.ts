import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { buildDocument } from './document.ts';

/** The committed document, which getOpenApi serves. */
export const documentFile = join(import.meta.dirname, 'openapi.json');

export const documentText = (): string => `${JSON.stringify(buildDocument(), null, 2)}\n`;

/** The committed types of the client. */
export const pathsFile = join(import.meta.dirname, 'paths.ts');

/** The content of paths.ts. */
export const pathsText = async (): Promise<string> =>
  `// The types of the API, generated from its OpenAPI document. Do not edit.\n${astToString(await openapiTypescript(documentText()))}`;

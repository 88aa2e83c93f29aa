import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../files/replace-file.ts';

/** The file with the client's types. It is not in git: `npm ci`, `npm run check` and the bundling of the functions write it. */
export const pathsFile = join(import.meta.dirname, '../openapi/paths.ts');

/** The document's types say less, because the specification does not require the fields of an order. */
const inEveryOrder = ['id', 'petId', 'quantity', 'complete'];

/** Writes the types of the API, unless the file has those of this document. */
export const writePaths = async (
  file = pathsFile,
  document = readFileSync(join(import.meta.dirname, '../openapi/openapi.json'), 'utf8'),
): Promise<void> => {
  const api = JSON.parse(document);
  api.components.schemas.Order.required = inEveryOrder;
  const typed = JSON.stringify(api);
  const header = `// Generated from the OpenAPI document (SHA-256 of its types: ${hash('sha256', typed)}). Do not edit.\n`;
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(header)) return;
  // Loaded here, because the module loads the TypeScript compiler, and the file is seldom stale.
  const { astToString, default: openapiTypescript } = await import('openapi-typescript');
  replaceFile(file, header + astToString(await openapiTypescript(typed)));
};

// With NODE_ENV=production, npm leaves out what every command needs. The script `prepare` then says what to do.
const isComplete = existsSync(join(import.meta.dirname, '../../node_modules/aws-cdk-lib'));
if (import.meta.main && !isComplete) process.exit(1);
if (import.meta.main) await writePaths();

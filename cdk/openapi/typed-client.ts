import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The committed types of the client. */
export const pathsFile = join(import.meta.dirname, 'paths.ts');

/** The typed client in one file: petstore-client.ts and the types of the API. */
export const typedClient = (): string => {
  const client = readFileSync(join(import.meta.dirname, 'petstore-client.ts'), 'utf8');
  const header = '// A client of the Petstore API. It needs the package openapi-fetch.\n\n';
  const withoutImport = client.replace(/^import type { paths } .*\n/m, '');
  return `${header}${withoutImport}\n${readFileSync(pathsFile, 'utf8')}`;
};

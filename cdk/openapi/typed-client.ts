import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The typed client in one file: petstore-client.ts and the types of the API. */
export const typedClient = (): string => {
  const [client, types] = ['petstore-client.ts', 'paths.ts'].map(name =>
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  );
  const header = '// A client of the Petstore API. It needs the package openapi-fetch.\n\n';
  return `${header}${client!.replace(/^import type { paths } .*\n/m, '')}\n${types}`;
};

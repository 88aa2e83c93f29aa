import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathsFile } from '../openapi/paths-file.ts';

// Writes a typed client of the API, for use with openapi-fetch: npm run client [-- FILE]
const file = resolve(process.argv[2] ?? join(import.meta.dirname, '../../.petstore/petstore.ts'));
const types = readFileSync(pathsFile, 'utf8');
const client = readFileSync(join(import.meta.dirname, '../openapi/petstore-client.ts'), 'utf8');
const header = '// A client of the Petstore API, written by `npm run client`. It needs the package openapi-fetch.\n\n';
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${header}${client.replace(/^import type { paths } .*\n/m, '')}\n${types}`);
console.log(`Written: ${file}`);

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { documentFile } from './write.ts';

// Writes TypeScript types of the API, for use with openapi-fetch: npm run client [-- FILE]
const file = resolve(process.argv[2] ?? join(import.meta.dirname, '../../.petstore/petstore.ts'));
const types = astToString(await openapiTypescript(pathToFileURL(documentFile)));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, types);
console.log(`Written: ${file}`);

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathsFile } from '../openapi/paths-file.ts';
import { commandOf } from './shared/command.ts';

const usage = `npm run client [-- FILE]
Writes a typed client of the API, one TypeScript file. It needs the package openapi-fetch.
  FILE    the file to write (default .petstore/petstore.ts)
  --help  print this`;

const { misused, readOptions, run } = commandOf(usage);
const {
  positionals: [name = join(import.meta.dirname, '../../.petstore/petstore.ts'), ...others],
} = readOptions({}, { allowPositionals: true });
if (others.length > 0) misused('Name one file.');

await run(async () => {
  const file = resolve(name);
  const types = readFileSync(pathsFile, 'utf8');
  const client = readFileSync(join(import.meta.dirname, '../openapi/petstore-client.ts'), 'utf8');
  const header =
    '// A client of the Petstore API, written by `npm run client`. It needs the package openapi-fetch.\n\n';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${header}${client.replace(/^import type { paths } .*\n/m, '')}\n${types}`);
  console.log(`Written: ${file}`);
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { typedClient } from '../openapi/typed-client.ts';
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
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typedClient());
  console.log(`Written: ${file}`);
});

import { writeFileSync } from 'node:fs';
import { documentFile, documentText, pathsText } from '../openapi/document-file.ts';
import { pathsFile } from '../openapi/typed-client.ts';
import { commandOf } from './shared/command.ts';

const usage = `npm run openapi
Writes the OpenAPI document (cdk/openapi/openapi.json) and the client's types (cdk/openapi/paths.ts).
  --help  print this`;

const { readOptions, run } = commandOf(usage);
readOptions({});

await run(async () => {
  writeFileSync(documentFile, documentText());
  writeFileSync(pathsFile, await pathsText());
  console.log(`Written: ${documentFile}\nWritten: ${pathsFile}`);
});

import { writeFileSync } from 'node:fs';
import { documentFile, documentText } from '../openapi/document-file.ts';
import { pathsFile, pathsText } from '../openapi/paths-file.ts';

writeFileSync(documentFile, documentText());
writeFileSync(pathsFile, await pathsText());
console.log(`Written: ${documentFile}\nWritten: ${pathsFile}`);

import { writeFileSync } from 'node:fs';
import { documentFile, documentText } from '../openapi/document-file.ts';

writeFileSync(documentFile, documentText());
console.log(`Written: ${documentFile}`);

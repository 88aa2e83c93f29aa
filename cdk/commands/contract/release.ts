import { writeFileSync } from 'node:fs';
import { releasedFile } from '../../openapi/breaking-changes.ts';
import { documentFile, documentText } from '../../openapi/document-file.ts';

for (const file of [documentFile, releasedFile]) {
  writeFileSync(file, documentText());
  console.log(`Written: ${file}`);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releasedFile } from './breaking-changes.ts';
import { buildDocument } from './document.ts';

/** The document as it is committed and served. */
export const documentFile = join(import.meta.dirname, 'openapi.json');

export const documentText = (): string => `${JSON.stringify(buildDocument(), null, 2)}\n`;

if (import.meta.main) {
  const files = process.argv.includes('--release') ? [documentFile, releasedFile] : [documentFile];
  for (const file of files) {
    writeFileSync(file, documentText());
    console.log(`Written: ${file}`);
  }
}

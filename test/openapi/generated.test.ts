import { expect, it } from 'vitest';
import { documentFile, documentText, pathsFile, pathsText } from '../../cdk/openapi/document-file.ts';

// `npm run generate` writes both files.
it('openapi.json equals the registry', async () => {
  await expect(documentText(), 'stale: npm run generate').toMatchFileSnapshot(documentFile);
});

it('the types of the client equal the document', async () => {
  await expect(await pathsText(), 'stale: npm run generate').toMatchFileSnapshot(pathsFile);
});

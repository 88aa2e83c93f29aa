import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, it } from 'vitest';
import { pathsFile, writePaths } from '../../cdk/bundle/write-paths.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { documentFile, documentText } from '../../cdk/openapi/document-file.ts';
import type { components, paths } from '../../cdk/openapi/paths.ts';
import type { Order } from '../../lib/schemas/order.ts';

it('openapi.json equals the registry', async () => {
  await expect(documentText(), 'stale: npm run generate').toMatchFileSnapshot(documentFile);
});

it('the types of the client are written when they are missing or of another document', async () => {
  const file = join(tempFolder('data'), 'paths.ts');
  const types = () => readFileSync(file, 'utf8');
  await writePaths(file);
  expect(types()).toBe(readFileSync(pathsFile, 'utf8'));
  await writePaths(file, documentText().replaceAll('placeOrder', 'buyPet'));
  expect(types()).toContain('buyPet');
  // The file is of this document already, so it is not written again. Writing takes a second.
  writeFileSync(file, `${types()}// the same file`);
  await writePaths(file, documentText().replaceAll('placeOrder', 'buyPet'));
  expect(types()).toContain('// the same file');
});

// `npm run check` compares the types.
it('the types of responses and events require what every order has, unlike the document', () => {
  type Data = components['schemas']['OrderEvent']['data'];
  expectTypeOf<components['schemas']['Order']>().toExtend<Order>();
  expectTypeOf<Data>().toExtend<Order>();
});

it('the types of the document itself let a program read its title', () => {
  type Success = paths['/openapi.json']['get']['responses'][200];
  expectTypeOf<Success['content']['application/json']['info']['title']>().toBeUnknown();
});

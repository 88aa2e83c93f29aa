import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from '../../cdk/bundle/bundle.ts';
import type { StageSettings } from '../../cdk/config/settings.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import { filesOfPage, pageFile } from '../../lib/docs-files.ts';

/** Name → text of each file beside the bundles of a stage. */
const filesOf = async (settings: StageSettings) => {
  const { folderOf } = await bundle(['getOpenApi', 'getDocs', 'getDocsFile'], undefined, settings);
  const names = ['openapi.json', pageFile, ...Object.keys(filesOfPage)];
  const paths = globSync(join(folderOf('getDocs'), `../*/{${names}}`));
  return new Map(paths.map(path => [path.replace(/.*[\\/]/, ''), readFileSync(path, 'utf8')]));
};

it('each file has the limits and dates of its stage; without any, the document is the committed one', async () => {
  const standard = await filesOf({ keepsData: false });
  const limits = { getPet: { rate: 17, burst: 20, timeout: 2 } };
  const lifeCycle = { getPet: { deprecatedOn: '2029-01-01', sunsetOn: '2029-06-30' } };
  const own = await filesOf({ limits, lifeCycle });
  const dated = await filesOf({ lifeCycle });
  expect(dated.get('openapi.json')).toContain('2029-06-30');
  expect(standard.get('openapi.json')).toBe(readFileSync(documentFile, 'utf8'));
  expect([...own.keys()].sort()).toEqual([...standard.keys()].sort());
  const having = (pattern: RegExp) =>
    [...own].flatMap(([name, text]) => (pattern.test(text) ? name : [])).sort();
  const described = ['openapi.json', 'petstore.postman_collection.json', 'petstore.ts'];
  expect(having(/17 requests per second/)).toEqual([...described, 'guide.md', pageFile].sort());
  expect(having(/sunset 2029-06-30/)).toEqual(described);
  expect(having(/sunset 2027-12-31|limit in production/)).toEqual([]);
});

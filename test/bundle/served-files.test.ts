import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { servedFiles } from '../../cdk/bundle/served-files.ts';
import type { StageSettings } from '../../cdk/config/settings.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import { stages } from '../support/stages.ts';

/** The deployed document, with these settings of `prod`, and the texts of getPet that differ from the committed one. */
const changedTexts = async (settings: StageSettings) => {
  const before = { ...stages };
  onTestFinished(() => void Object.assign(stages, before));
  Object.assign(stages, { prod: settings });
  const source = servedFiles.getOpenApi!['openapi.json'] as () => Promise<string | Buffer>;
  const textsOf = (text: string): string[] => JSON.stringify(JSON.parse(text).paths['/pets/{petId}'].get).split(/[."]/);
  const committed = new Set(textsOf(readFileSync(documentFile, 'utf8')));
  return textsOf(String(await source()))
    .filter(text => !committed.has(text))
    .join();
};

it('the deployed document is the committed one unless prod has other limits or dates, and then has these', async () => {
  const limits = { getPet: { rate: 17, burst: 20, timeout: 2 } };
  const lifeCycle = { getPet: { deprecatedOn: '2029-01-01', sunsetOn: '2029-06-30' } };
  expect(await changedTexts({ keepsData: false })).toBe('');
  expect(await changedTexts({ limits })).toMatch(/17 requests per second(?!.*2029)/);
  expect(await changedTexts({ lifeCycle })).toMatch(/2029-06-30(?!.*17 requests)/);
});

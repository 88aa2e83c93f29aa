import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { breakingChanges } from '../../cdk/openapi/breaking-changes.ts';
import { buildDocument } from '../../cdk/openapi/document.ts';

/** What git prints; undefined if it fails, or is not installed. */
const git = (...args: string[]): string | undefined => {
  // Without the variables that a git hook sets, which name another repository.
  const { PATH, HOME } = process.env;
  const options = { cwd: join(import.meta.dirname, '../..'), maxBuffer: 2 ** 26, env: { PATH, HOME } };
  const { status, stdout } = spawnSync('git', args, { ...options, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

it('the document breaks no caller of the newest release', context => {
  // Before HEAD: the commit of a release has a tag itself.
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^');
  const released = tag && git('show', `${tag}:cdk/openapi/openapi.json`);
  if (!released) return context.skip('There is no release to compare with.');
  const today = new Date().toISOString().slice(0, 10);
  const changes = breakingChanges(JSON.parse(released), buildDocument(), today);
  expect(changes, `changes that break callers of ${tag}`).toEqual([]);
});

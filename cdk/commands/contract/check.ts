import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { allOperations } from '../../../lib/operations/index.ts';
import { breakingChanges, renamedOperations } from '../../openapi/breaking-changes.ts';
import { buildDocument } from '../../openapi/document.ts';
import { documentFile } from '../../openapi/document-file.ts';
import { commandOf } from '../shared/command.ts';

const usage = `npm run contract:check
Compares the OpenAPI document with that of the newest tag before HEAD. Fails when a change would break callers.
  --help  print this`;

const { readOptions, run } = commandOf(usage);
readOptions({});

const root = join(import.meta.dirname, '../../..');

/** What git prints. Undefined: git fails, or is not installed. */
const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 }).trim();
  } catch {
    return undefined;
  }
};

await run(async () => {
  // The commit of a release has a tag itself; it is compared with the release before.
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^');
  const text = tag && git('show', `${tag}:${relative(root, documentFile)}`);
  if (!text) return console.log(`There is no release to compare with${tag ? `: ${tag} has no document` : ''}.`);
  const released = JSON.parse(text);
  const renamed = renamedOperations(released, allOperations);
  const today = new Date().toISOString().slice(0, 10);
  const changes = renamed.length > 0 ? renamed : breakingChanges(released, buildDocument(), today);
  if (changes.length > 0) throw new Error(`These changes break callers of ${tag}:\n  ${changes.join('\n  ')}`);
  console.log(`No change breaks callers of ${tag}.`);
});

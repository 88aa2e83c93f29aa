import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { breakingChanges, renamedOperations } from '../../cdk/openapi/breaking-changes.ts';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { newFolder } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');
const document = 'cdk/openapi/openapi.json';

/** What git prints in a folder; undefined if it fails, or is not installed. */
const gitIn =
  (cwd: string, { PATH, HOME = cwd } = process.env) =>
  (...args: string[]): string | undefined => {
    // Without the variables that a git hook sets, which name another repository.
    const { status, stdout } = spawnSync('git', args, {
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      env: { PATH, HOME },
    });
    return status === 0 ? stdout.trim() : undefined;
  };

/** The newest release before HEAD: the commit of a release has a tag itself. Undefined: there is none with a document. */
const releaseIn = (folder: string, environment = process.env) => {
  const git = gitIn(folder, environment);
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^');
  const text = tag && git('show', `${tag}:${document}`);
  return text ? { tag, released: JSON.parse(text) } : undefined;
};

it('the document breaks no caller of the newest release', context => {
  const release = releaseIn(root);
  if (!release) return context.skip('There is no release to compare with.');
  const { tag, released } = release;
  const today = new Date().toISOString().slice(0, 10);
  const renamed = renamedOperations(released, allOperations);
  const changes = renamed.length > 0 ? renamed : breakingChanges(released, buildDocument(), today);
  expect(changes, `changes that break callers of ${tag}`).toEqual([]);
});

describe('the newest release', () => {
  const newRepository = async () => {
    const folder = await newFolder();
    const git = gitIn(folder);
    git('init', '--quiet');
    git('config', 'user.name', 'test');
    git('config', 'user.email', 'test@example.com');
    const commit = (version: number | undefined, tag?: string) => {
      if (version) {
        mkdirSync(join(folder, 'cdk/openapi'), { recursive: true });
        writeFileSync(join(folder, document), JSON.stringify({ version }));
        git('add', '.');
      }
      git('commit', '--quiet', '--allow-empty', '-m', 'Change');
      if (tag) git('tag', tag);
    };
    return { folder, commit };
  };

  it('is the newest tag before HEAD, with its own document', async () => {
    const { folder, commit } = await newRepository();
    expect(releaseIn(folder)).toBeUndefined();
    commit(1, 'v1.0.0');
    expect(releaseIn(folder)).toBeUndefined();
    commit(2);
    const first = { tag: 'v1.0.0', released: { version: 1 } };
    expect(releaseIn(folder)).toEqual(first);
    commit(3, 'v1.1.0');
    expect(releaseIn(folder)).toEqual(first);
    commit(4);
    expect(releaseIn(folder)).toEqual({ tag: 'v1.1.0', released: { version: 3 } });
    expect(releaseIn(folder, { PATH: '' })).toBeUndefined();
  });

  it('has a document', async () => {
    const { folder, commit } = await newRepository();
    commit(undefined, 'v0.9.0');
    commit(1);
    expect(releaseIn(folder)).toBeUndefined();
  });
});

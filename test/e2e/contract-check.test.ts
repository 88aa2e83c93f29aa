import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../support/processes.ts';
import { copyProject } from '../support/project-copy.ts';

const projects: { remove: () => void }[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

/** A copy of the project, in a git repository of its own or in none. */
const newProject = async () => {
  const project = await copyProject();
  projects.push(project);
  const { folder } = project;
  // Without the variables that a git hook sets, which name another repository.
  const env = { PATH: process.env.PATH, HOME: folder };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], { cwd: folder, env });
  const replace = (file: string, from: string, to: string) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  };
  return {
    commit: (message: string) => {
      git('init', '--quiet');
      git('add', 'cdk', 'lib');
      git('commit', '--quiet', '--allow-empty', '-m', message);
    },
    tag: (name: string) => git('tag', name),
    breakCallers: () => replace('lib/schemas/text.ts', 'Name = nameText(100)', 'Name = nameText(50)'),
    deleteDocument: () => git('rm', '--quiet', 'cdk/openapi/openapi.json'),
    check: async (env: Record<string, string> = {}) => {
      const { exit, output } = run('cdk/commands/contract/check.ts', [], { cwd: folder, env });
      return { code: await exit, output: output() };
    },
  };
};

const none = { code: 0, output: 'There is no release to compare with.\n' };

describe('npm run contract:check', () => {
  it('passes without a repository, without a commit before HEAD, and without a tag', async () => {
    const { check, commit, tag } = await newProject();
    expect(await check()).toEqual(none);
    commit('Only commit');
    tag('v1.0.0');
    expect(await check()).toEqual(none);
    const untagged = await newProject();
    untagged.commit('First');
    untagged.breakCallers();
    untagged.commit('Second');
    expect(await untagged.check()).toEqual(none);
  });

  it('passes without git', async () => {
    const { check, commit, tag, breakCallers } = await newProject();
    commit('Release');
    tag('v1.0.0');
    breakCallers();
    commit('Break callers');
    expect(await check({ PATH: '' })).toEqual(none);
  });

  it('fails when a change breaks callers of the newest tag, whether HEAD has a tag or not', async () => {
    const { check, commit, tag, breakCallers } = await newProject();
    commit('Release');
    tag('v1.0.0');
    commit('Change nothing');
    expect(await check()).toEqual({ code: 0, output: 'No change breaks callers of v1.0.0.\n' });
    breakCallers();
    commit('Break callers');
    const broken = {
      code: 1,
      output: expect.stringMatching(
        /^These changes break callers of v1\.0\.0:\n(.*\n)* {2}POST \/pets: request body\.name: maxLength was lowered to 50\n/,
      ),
    };
    expect(await check()).toEqual(broken);
    tag('v1.1.0');
    expect(await check()).toEqual(broken);
    commit('Change nothing after the release');
    // The document of v1.1.0 is the old one: without `npm run openapi`.
    expect(await check()).toEqual({ ...broken, output: expect.stringContaining('break callers of v1.1.0:') });
  });

  it('passes with a message when the newest tag has no document', async () => {
    const { check, commit, tag, deleteDocument } = await newProject();
    commit('Begin');
    deleteDocument();
    commit('Release without a document');
    tag('v0.9.0');
    commit('Change nothing');
    const output = 'There is no release to compare with: v0.9.0 has no document.\n';
    expect(await check()).toEqual({ code: 0, output });
  });
});

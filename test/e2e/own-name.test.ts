import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';
import { run } from '../support/processes.ts';
import { copyProject } from '../support/project-copy.ts';

const root = join(import.meta.dirname, '../..');
const [, lines] = /## Make it yours.*?```sh\n(.*?)```/s.exec(
  readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8'),
)!;

it.skipIf(!hasCommand('perl', '-v'))(
  'a copy with another name passes its tests, without .git and without git',
  async () => {
    const folder = copyProject(
      readdirSync(root).filter(name => !/^(node_modules|cdk\.out|coverage|\.git)$/.test(name)),
    );
    const bin = tempFolder('no-git');
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 127', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}` };
    // The commands run in this copy, whose folder has the name of the project.
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${lines}npm run check`], options);
    const files = [
      'project/imports',
      'project/workflows',
      'stack/frozen',
      'openapi/generated',
      'stack/golden',
      'api/store',
    ];
    const args = ['run', '--project=shared', '--testTimeout=200000', ...files.map(file => `test/${file}`)];
    const { exit, output } = run('node_modules/vitest/vitest.mjs', args, { cwd: folder, env });
    expect(await exit, output()).toBe(0);
  },
  900_000,
);

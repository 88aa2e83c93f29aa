import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';
import { run } from '../support/processes.ts';
import { copyProject } from '../support/project-copy.ts';

const root = join(import.meta.dirname, '../..');
const contributing = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8');
const [, lines] = /## Make it yours.*?```sh\n(.*?)&& npm run generate\n```/s.exec(contributing)!;
const isCopied = (name: string) => !/^(node_modules|cdk\.out|coverage|\.git|\.petstore)$/.test(name);

it.skipIf(!hasCommand('perl', '-v'))(
  'a copy with another name passes its tests, without .git and git',
  async () => {
    const folder = copyProject(readdirSync(root).filter(isCopied));
    const bin = tempFolder('no-git');
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 127', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', `${lines}\nnpm run check`], options);
    const test = async (names: string, ...update: string[]) => {
      const files = names.split(' ').map(name => `test/${name}`);
      // Not last: `-u` would take the first file as its value.
      const args = ['run', ...update, '--project=shared', '--testTimeout=200000', ...files];
      const { exit, output } = run('node_modules/vitest/vitest.mjs', args, { cwd: folder, env });
      expect(await exit, output()).toBe(0);
    };
    // These are the parts of `npm run generate` that depend on the name.
    for (const name of ['openapi/generated', 'stack/golden']) await test(name, '-u');
    await test('project/imports project/workflows stack/frozen openapi/generated stack/golden api/store');
  },
  900_000,
);

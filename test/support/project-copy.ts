import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Copies the project, so that a test can change the copy. The copy uses the same node_modules. */
export const copyProject = async (
  names: readonly string[] = ['cdk', 'functions', 'lib', 'cdk.json', 'package.json', 'CHANGELOG.md'],
) => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-copy-'));
  const filter = (source: string) => !source.endsWith('node_modules');
  for (const name of names) cpSync(join(root, name), join(folder, name), { recursive: true, filter });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

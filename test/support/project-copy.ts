import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../../cdk/files/temp-folder.ts';

const root = join(import.meta.dirname, '../..');

/** Uses the same node_modules. @returns the folder */
export const copyProject = (
  names: readonly string[] = [
    'cdk',
    'functions',
    'lib',
    'cdk.json',
    'package.json',
    'CHANGELOG.md',
  ],
): string => {
  const folder = tempFolder('copy');
  const filter = (source: string) => !source.endsWith('node_modules');
  for (const name of names)
    cpSync(join(root, name), join(folder, name), { recursive: true, filter });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { root } from './project.ts';

export const allNames = (): string[] =>
  readdirSync(root).filter(
    name => !/^(node_modules|cdk\.out|coverage|\.git|\.petstore)$/.test(name),
  );

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

import { globSync } from 'node:fs';
import { join } from 'node:path';

const cwd = join(import.meta.dirname, '../../functions');

/** Each file in functions/ is a function of that name. */
export const functionNames = (): string[] =>
  globSync('*.ts', { cwd }).map(name => name.slice(0, -'.ts'.length));

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** @param file its path in the project */
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A temporary folder of this process, gone when it ends: two processes never build into the same place. */
export const scratchFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`));
  made.push(folder);
  return folder;
};

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder of this process, gone when it ends: two processes never build into the same place. */
export const scratchFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

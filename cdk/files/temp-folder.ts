import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Deleted when the process ends. Processes never share one. */
export const tempFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`));
  folders.push(folder);
  return folder;
};

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
const removeAll = (): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
};
process.once('exit', removeAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    // Another handler ends the process when it has stopped its work.
    if (process.listenerCount(signal) > 0) return;
    removeAll();
    process.kill(process.pid, signal);
  });

/** Deleted when the process ends. Processes never share one. */
export const tempFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`));
  folders.push(folder);
  return folder;
};

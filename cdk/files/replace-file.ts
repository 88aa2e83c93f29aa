import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  type WriteFileOptions,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';

/** An existing file keeps its permissions, except on Windows. No process reads an incomplete file, even if this process is killed, or another one replaces the file at the same time. */
export const replaceFile = (
  path: string,
  content: string | Uint8Array,
  options?: WriteFileOptions,
): void => {
  mkdirSync(dirname(path), { recursive: true });
  const { mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const own = `${path}.${process.pid}-${threadId}.new`;
  try {
    writeFileSync(own, content, options);
    if (mode !== undefined && process.platform !== 'win32') chmodSync(own, mode);
    renameSync(own, path);
  } catch (error) {
    rmSync(own, { force: true });
    throw error;
  }
};

import { mkdirSync, renameSync, type WriteFileOptions, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** No process reads an incomplete file, even if this process is killed. */
export const replaceFile = (path: string, content: string | Uint8Array, options?: WriteFileOptions): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, content, options);
  renameSync(`${path}.new`, path);
};

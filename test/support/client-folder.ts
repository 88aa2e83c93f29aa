import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Petstore } from './petstore.ts';
import { root } from './project.ts';

/** Has the served client until the test ends. In the repository, because it imports a package. Git ignores `.petstore`. */
export const clientFolder = async ({ anonymous }: Petstore): Promise<string> => {
  mkdirSync(join(root, '.petstore'), { recursive: true });
  const folder = mkdtempSync(join(root, '.petstore/client-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'petstore.ts'), (await anonymous('GET', '/docs/petstore.ts')).text);
  return folder;
};

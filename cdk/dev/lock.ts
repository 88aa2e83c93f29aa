import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const holderOf = (file: string): number | undefined => {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
};

/**
 * Keeps a second server off a data folder, whose engine takes one. A lock that a killed process left behind does not count.
 * @throws when another process holds the folder
 */
export const lockFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'server.pid');
  const holder = holderOf(file);
  if (holder !== undefined && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Another server (process ${holder}) keeps its data in ${folder}. Stop it, or keep this one's elsewhere: npm start -- --data FOLDER, or --memory.`,
    );
  }
  writeFileSync(file, String(process.pid));
  process.once('exit', () => rmSync(file, { force: true }));
};

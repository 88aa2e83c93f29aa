import { readFileSync } from 'node:fs';
import { caller } from '../command.ts';

/** @returns undefined without such a process, and on systems without /proc (proc_pid_stat(5)) */
const statOf = (pid: number) => {
  try {
    const [, name = '', parent] = /\((.*)\) \S (\d+)/s.exec(
      readFileSync(`/proc/${pid}/stat`, 'utf8'),
    )!;
    return { name, parent };
  } catch {
    return undefined;
  }
};

/** Where the shell stays between npm and its script, as dash does, a killed npm leaves the shell, so its parent counts, too. */
const ancestors = (): string => {
  const parent = statOf(process.ppid);
  return [process.ppid, parent && /sh$/.test(parent.name) ? parent.parent : ''].join();
};

/** Looks each second whether the npm that started this process has ended: npm ends its shell, but not what the shell runs. */
export const whenOrphaned = (stop: () => void): void => {
  const { npm_lifecycle_event: script = '' } = caller().environment;
  if (!['start', 'dev'].includes(script) || process.platform === 'win32') return;
  const before = ancestors();
  setInterval(() => ancestors() !== before && stop(), 1_000).unref();
};

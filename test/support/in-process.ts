import { Console } from 'node:console';
import { join } from 'node:path';
import { vi } from 'vitest';
import { root } from './project.ts';

/** `code` is the exit code that a process would have. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Of both streams. */
  readonly output: string;
}

/**
 * Its own process would take a quarter of a second of CPU time. Only one command runs at a time. Tests that need a process use
 * `run` (processes.ts).
 */
export const runInProcess = async (
  script: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> => {
  const printed = { out: '', err: '', output: '' };
  let code: number | undefined;
  const writer = (stream: 'out' | 'err') => (text: unknown) => {
    if (code === undefined) {
      printed[stream] += text;
      printed.output += text;
    }
    return true;
  };
  const { argv, exitCode, exit, env, stdout, stderr } = process;
  const writes = [stdout.write, stderr.write] as const;
  const { log, info, warn, error } = console;
  // Vitest's console does not write to the streams.
  const own = new Console(stdout, stderr);
  Object.assign(console, { log: own.log, info: own.info, warn: own.warn, error: own.error });
  Object.assign(process, {
    argv: [process.execPath, join(root, script), ...args],
    exitCode: undefined,
    env: { ...env, ...environment },
    exit: (given?: number) => {
      code ??= given ?? Number(process.exitCode ?? 0);
      throw new Error('The process exited.');
    },
  });
  stdout.write = writer('out');
  stderr.write = writer('err');
  // A command runs when its module is loaded, and other modules read the environment then.
  vi.resetModules();
  try {
    await import(join(root, script));
    code ??= Number(process.exitCode ?? 0);
  } catch (cause) {
    if (code === undefined) throw cause;
  } finally {
    [stdout.write, stderr.write] = writes;
    Object.assign(process, { argv, exitCode, exit, env });
    Object.assign(console, { log, info, warn, error });
  }
  return { code, ...printed };
};

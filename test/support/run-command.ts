import { join } from 'node:path';
import { vi } from 'vitest';
import type { Command } from '../../cdk/command.ts';
import { root } from './project.ts';

export interface Ended {
  /** The exit code. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Of both streams. */
  readonly output: string;
}

export const callCommand = async (
  command: Command,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  now = Date.now,
): Promise<Ended> => {
  const printed = { out: '', err: '', output: '' };
  const writer = (stream: 'out' | 'err') => (line: string) => {
    printed[stream] += `${line}\n`;
    printed.output += `${line}\n`;
  };
  const [print, note] = [writer('out'), writer('err')];
  const code = await command(args, { environment, now, print, note });
  return { code, ...printed };
};

/** Its own process would take a quarter of a second of CPU time. Tests that need a process use `run` (processes.ts). */
export const runCommand = async (
  script: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string | undefined>> = {},
  now = Date.now,
): Promise<Ended> => {
  // lib/model reads the environment when it is loaded, and the SDK at any time.
  vi.resetModules();
  const { env } = process;
  process.env = { ...env, ...environment };
  try {
    const { command }: { command: Command } = await import(join(root, script));
    return await callCommand(command, args, process.env, now);
  } finally {
    process.env = env;
  }
};

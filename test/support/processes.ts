import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { root } from './project.ts';
import { spawnNode } from './spawn-node.ts';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** @param options.cwd a copy of the project */
export const run = (
  script: string,
  args: readonly string[] = [],
  { env = {}, cwd = root }: { env?: Record<string, string>; cwd?: string } = {},
) => {
  const child = spawnNode([join(cwd, script), ...args], { env: { ...process.env, ...env }, cwd });
  children.push(child);
  let text = '';
  child.stdout!.on('data', chunk => (text += chunk));
  child.stderr!.on('data', chunk => (text += chunk));
  // `exit` can precede the last output, but `close` cannot.
  const exit = new Promise<number | null>(resolve => child.on('close', resolve));
  return { child, output: () => text, exit };
};

export type Run = ReturnType<typeof run>;

/** @returns the server's URL */
export const ready = async ({ output }: Pick<Run, 'output'>): Promise<string> => {
  await expect.poll(output).toMatch(/^Petstore is ready at /m);
  return /ready at (\S+)/.exec(output())![1]!;
};

/** On a free port. */
export const start = (...args: string[]) => run('cdk/commands/start.ts', ['--port', '0', ...args]);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface SandboxOptions {
  /** The bundle. */
  readonly module: string;
  readonly environment: Record<string, string>;
  readonly event: object;
  /** The remaining time of the function, in milliseconds. */
  readonly timeLeft: number;
}

export interface Sandbox {
  /** The result of the function. After it the process is frozen. */
  readonly result: Promise<{ readonly statusCode: number; readonly body: string }>;
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Thaws the process and waits until it exits. */
  readonly end: () => Promise<void>;
}

/** Invokes a function in a child process, which is frozen after the result, as Lambda does. */
export const startSandbox = ({ module, environment, event, timeLeft }: SandboxOptions): Sandbox => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sandbox-process.ts')], {
    env: { ...environment, SANDBOX: JSON.stringify({ module, event, timeLeft }) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr!.on('data', chunk => {
    stderr += chunk;
  });
  const exited = once(child, 'exit');
  const output = once(child.stdio[3] as Readable, 'data').then(([chunk]) => JSON.parse(chunk.toString()));
  const thaw = () => void child.kill('SIGCONT');
  return {
    result: Promise.race([output, exited.then(() => Promise.reject(new Error(`no result: ${stderr}`)))]),
    freeze: () => void child.kill('SIGSTOP'),
    thaw,
    end: async () => {
      // Repeatedly: the process freezes itself a moment after its result arrives.
      const timer = setInterval(thaw, 20);
      await exited;
      clearInterval(timer);
    },
  };
};

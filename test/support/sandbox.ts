import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface SandboxOptions {
  /** The bundle. */
  readonly module: string;
  readonly environment: Record<string, string>;
  readonly event: object;
  /** What the function has left of its time, in milliseconds. */
  readonly timeLeft: number;
}

export interface Sandbox {
  /** What the function answers. From then on its process stands still. */
  readonly answer: Promise<{ readonly statusCode: number; readonly body: string }>;
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Lets the process go on until it has nothing left to do. */
  readonly end: () => Promise<void>;
}

/** Answers one request in a process of its own, which is frozen with the answer, as Lambda does. */
export const startSandbox = ({ module, environment, event, timeLeft }: SandboxOptions): Sandbox => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sandbox-process.ts')], {
    env: { ...environment, SANDBOX: JSON.stringify({ module, event, timeLeft }) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr!.on('data', chunk => {
    complaint += chunk;
  });
  const exited = once(child, 'exit');
  const answered = once(child.stdio[3] as Readable, 'data').then(([chunk]) => JSON.parse(chunk.toString()));
  const thaw = () => void child.kill('SIGCONT');
  return {
    answer: Promise.race([answered, exited.then(() => Promise.reject(new Error(`no answer: ${complaint}`)))]),
    freeze: () => void child.kill('SIGSTOP'),
    thaw,
    end: async () => {
      // More than once: it freezes itself a moment after its answer is here.
      const timer = setInterval(thaw, 20);
      await exited;
      clearInterval(timer);
    },
  };
};

import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { inject, onTestFinished } from 'vitest';
import { spawnNode } from './spawn-node.ts';

export interface Invocation {
  /** Without region and credentials. */
  readonly environment: Record<string, string>;
  readonly event: object;
  /** In milliseconds. */
  readonly timeLeft: number;
  /** Between INIT and INVOKE. */
  readonly freezesAfterInit?: boolean;
}

/** The logical id is also the access key, by which the proxies know the function. */
export const functionId = (name: string): string =>
  Object.keys(inject('template').Resources).find(id => id.startsWith(`${name}Function`)) ?? name;

/** As on Lambda, the process is frozen after its result. */
export const invokeBundle = (name: string, { environment, ...invocation }: Invocation) => {
  const module = join(inject('bundles').outdir, name, 'index.mjs');
  const credentials = { AWS_ACCESS_KEY_ID: functionId(name), AWS_SECRET_ACCESS_KEY: 'local' };
  const child = spawnNode([join(import.meta.dirname, 'sandbox-process.ts')], {
    env: {
      AWS_REGION: 'us-east-1',
      ...credentials,
      ...environment,
      SANDBOX: JSON.stringify({ module, ...invocation }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', chunk => (stdout += chunk));
  child.stderr!.on('data', chunk => (stderr += chunk));
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdio[3] as Readable)[Symbol.asyncIterator]();
  const initialized = lines.next();
  const output = initialized
    .then(() => lines.next())
    .then(({ done, value }) => (done ? exited : JSON.parse(value)));
  const thaw = () => void child.kill('SIGCONT');
  /** Thaws the process and waits for its end. Also runs at the end of the test. */
  const end = async () => {
    // The process freezes itself a moment after its result arrives, and may have to be thawed more than once.
    const timer = setInterval(thaw, 20);
    await exited;
    clearInterval(timer);
  };
  onTestFinished(end);
  /** When it arrives, the process is frozen. */
  const result: Promise<{ readonly statusCode: number; readonly body: string }> = Promise.race([
    output,
    exited.then(() => Promise.reject(new Error(`no result: ${stderr}`))),
  ]);
  return {
    initialized,
    result,
    log: () => stdout,
    freeze: () => void child.kill('SIGSTOP'),
    thaw,
    end,
  };
};

export type Sandbox = ReturnType<typeof invokeBundle>;

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { url } from 'node:inspector';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BuildOptions, buildSync } from 'esbuild';
import type { LogLevel } from './log-line.ts';

/** A function as the template describes it. */
export interface FunctionDefinition {
  readonly name: string;
  /** Folder of its code; beside it may lie its source map, the same name with `.map`. */
  readonly code: string;
  /** `file.export` */
  readonly handler: string;
  /** Seconds. */
  readonly timeout: number;
  /** Megabytes. */
  readonly memory: number;
  readonly environment: Record<string, string>;
  /** Below it, nothing is logged. */
  readonly logLevel: LogLevel;
}

/** Whether a debugger may be looking: then nothing is timed out, since whoever reads at a breakpoint needs longer than Lambda grants. */
export const isDebugged = (): boolean => url() !== undefined;

/** What the worker says once, when its module is loaded or has failed to. */
export type Started = 'started';

/** What the worker is told, and what it answers. */
export interface Invocation {
  readonly id: number;
  readonly requestId: string;
  readonly event: unknown;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}
export type Answered =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

export interface LambdaFunction {
  readonly definition: FunctionDefinition;
  /** @throws what Lambda would report as a function error: a thrown error, a crash, a time-out */
  readonly invoke: (event: unknown) => Promise<unknown>;
  /** The next invocation runs the code that lies in the folder then; those that are running end with theirs. */
  readonly renew: () => void;
  /** Whether anybody has called it yet. */
  readonly inUse: () => boolean;
  readonly stop: () => Promise<void>;
}

/** A thread, as Lambda's execution environment, and the invocations that wait for it. */
interface Environment {
  readonly thread: Worker;
  readonly loaded: Promise<unknown>;
  readonly waiting: Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>;
}

let workerScript: string | undefined;

/** The worker as one piece of JavaScript: a thread that strips types itself takes twice as much CPU to start. */
const scriptOfWorker = (): string => {
  const entryPoints = [join(import.meta.dirname, 'lambda-worker.ts')];
  const options = { bundle: true, platform: 'node', format: 'cjs', write: false } satisfies BuildOptions;
  workerScript ??= buildSync({ entryPoints, ...options }).outputFiles[0]!.text;
  return workerScript;
};

/** What an invocation may take while a debugger is attached, in milliseconds. */
const withDebugger = 3_600_000;

/**
 * Runs a function's bundle in a thread with the environment that the template gives it and nothing else of ours. Unlike
 * Lambda, one thread answers overlapping requests. It starts with the first request, so that request is a cold start.
 * @param log is given what the function writes
 */
export const createFunction = (definition: FunctionDefinition, log: (text: string) => void): LambdaFunction => {
  const { name, code, handler, timeout, memory, environment, logLevel } = definition;
  /** Every thread that has not ended. */
  const environments = new Set<Environment>();
  let current: Environment | undefined;
  let count = 0;

  const end = (ended: Environment, error: Error) => {
    if (current === ended) current = undefined;
    environments.delete(ended);
    for (const { reject } of ended.waiting.values()) reject(error);
    ended.waiting.clear();
    ended.thread.terminate();
  };

  const start = (): Environment => {
    const [file, exported] = handler.split('.');
    const map = `${code}.map`;
    const thread = new Worker(scriptOfWorker(), {
      eval: true,
      env: { ...environment, AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory) },
      stdout: true,
      workerData: { module: join(code, `${file}.mjs`), map: existsSync(map) && map, exported, logLevel },
    });
    thread.stdout.setEncoding('utf8').on('data', log);
    const loaded = new Promise(resolve => thread.once('message', resolve));
    const started: Environment = { thread, loaded, waiting: new Map() };
    thread.on('message', (outcome: Answered | Started) => {
      if (outcome === 'started') return;
      const caller = started.waiting.get(outcome.id);
      started.waiting.delete(outcome.id);
      if ('error' in outcome) caller?.reject(new Error(outcome.error));
      else caller?.resolve(outcome.result);
      endIfIdle(started);
    });
    thread.on('error', error => end(started, error as Error));
    thread.on('exit', () => end(started, new Error(`${name} exited`)));
    environments.add(started);
    return started;
  };

  /** One that newer code has replaced ends when it has answered. */
  const endIfIdle = (old: Environment) => {
    if (old !== current && old.waiting.size === 0) end(old, new Error(`${name} was replaced`));
  };

  const invoke = (event: unknown): Promise<unknown> => {
    current ??= start();
    const environmentOfCall = current;
    const { thread, loaded, waiting } = environmentOfCall;
    const id = count++;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          then(value);
        };
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      // As in Lambda, the time-out counts from the invocation, not from the start of the environment.
      loaded.then(() => {
        if (!waiting.has(id)) return;
        const time = isDebugged() ? withDebugger : timeout * 1000;
        timer = setTimeout(() => end(environmentOfCall, new Error(`${name} timed out after ${timeout} s`)), time);
        const deadline = Date.now() + time;
        thread.postMessage({ id, requestId: randomUUID(), event, deadline } satisfies Invocation);
      });
    });
  };

  const renew = () => {
    const old = current;
    current = undefined;
    if (old) endIfIdle(old);
  };

  const stop = async () => void (await Promise.all([...environments].map(({ thread }) => thread.terminate())));
  const inUse = () => count > 0;
  return { definition, invoke, renew, inUse, stop };
};

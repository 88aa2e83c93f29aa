import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
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
export type Outcome =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

export interface LambdaFunction {
  readonly definition: FunctionDefinition;
  /** @throws what Lambda would report as a function error: a thrown error, a crash, a time-out */
  readonly invoke: (event: unknown) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/**
 * Runs a function's bundle in a thread with the environment that the template gives it and nothing else of ours. Unlike
 * Lambda, one thread answers overlapping requests. It starts with the first request, so that request is a cold start.
 * @param log is given what the function writes
 */
export const createFunction = (definition: FunctionDefinition, log: (text: string) => void): LambdaFunction => {
  const { name, code, handler, timeout, memory, environment, logLevel } = definition;
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let worker: { readonly thread: Worker; readonly loaded: Promise<unknown> } | undefined;
  let count = 0;

  const fail = (error: Error) => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = () => {
    const [file, exported] = handler.split('.');
    const map = `${code}.map`;
    const thread = new Worker(join(import.meta.dirname, 'lambda-worker.ts'), {
      env: { ...environment, AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory) },
      stdout: true,
      workerData: { module: join(code, `${file}.mjs`), map: existsSync(map) && map, exported, logLevel },
    });
    thread.stdout.setEncoding('utf8').on('data', log);
    const loaded = new Promise(resolve => thread.once('message', resolve));
    thread.on('message', (outcome: Outcome | Started) => {
      if (outcome === 'started') return;
      const caller = waiting.get(outcome.id);
      waiting.delete(outcome.id);
      if ('error' in outcome) caller?.reject(new Error(outcome.error));
      else caller?.resolve(outcome.result);
    });
    thread.on('error', error => worker?.thread === thread && fail(error as Error));
    thread.on('exit', () => worker?.thread === thread && fail(new Error(`${name} exited`)));
    return { thread, loaded };
  };

  const invoke = (event: unknown): Promise<unknown> => {
    worker ??= start();
    const { thread, loaded } = worker;
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
        timer = setTimeout(() => {
          fail(new Error(`${name} timed out after ${timeout} s`));
          thread.terminate();
        }, timeout * 1000);
        const deadline = Date.now() + timeout * 1000;
        thread.postMessage({ id, requestId: randomUUID(), event, deadline } satisfies Invocation);
      });
    });
  };

  return { definition, invoke, stop: async () => void (await worker?.thread.terminate()) };
};

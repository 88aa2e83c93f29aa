import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { url } from 'node:inspector';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BuildOptions, buildSync } from 'esbuild';
import type { FunctionDefinition } from '../../synthesis/api.ts';

/** While a debugger can be attached, functions have an hour, because a breakpoint takes longer than Lambda allows. */
export const isDebugged = (): boolean => url() !== undefined;

/** A message to the worker, with the deadline in milliseconds since the epoch. */
export type Invocation = {
  readonly requestId: string;
  readonly event: unknown;
  readonly deadline: number;
};

/** `started`: the module is loaded or failed to load. */
export type WorkerMessage =
  | 'started'
  | { readonly log: string }
  | { readonly requestId: string; readonly result: unknown }
  | { readonly requestId: string; readonly error: string };

export type LambdaFunction = ReturnType<typeof createFunction>;

interface ExecutionEnvironment {
  readonly thread: Worker;
  readonly loaded: Promise<unknown>;
  readonly loadTimer: NodeJS.Timeout;
  /** By request id. */
  readonly pending: Map<
    string,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >;
}

/** In milliseconds. */
const debuggerTimeout = 3_600_000;

/** In milliseconds. */
const maxStopDelay = 2_000;

/**
 * Milliseconds. A module may take this plus the function's timeout to load, because "the Init phase is limited to 10 seconds",
 * and Lambda repeats a longer one with the function's timeout (developer guide, "Lambda execution environment").
 */
const maxInitTime = 10_000;

/**
 * Runs a bundle in a thread, with the environment variables of the definition and two that Lambda sets. Unlike in Lambda, one
 * thread handles concurrent requests. The first request starts it: a cold start.
 */
export const createFunction = (
  definition: FunctionDefinition,
  log: (text: string) => void,
  initTime = maxInitTime,
) => {
  const { name, timeout } = definition;
  /** Includes threads with old code. */
  const environments = new Set<ExecutionEnvironment>();
  let current: ExecutionEnvironment | undefined;
  let isStopped = false;

  const end = (ended: ExecutionEnvironment, error: Error) => {
    if (current === ended) current = undefined;
    environments.delete(ended);
    for (const { reject } of ended.pending.values()) reject(error);
    ended.pending.clear();
    clearTimeout(ended.loadTimer);
    ended.thread.terminate();
  };

  const start = (): ExecutionEnvironment => {
    const thread = startThread(definition);
    thread.stdout.setEncoding('utf8').on('data', log);
    const { promise: loaded, resolve: setLoaded } = Promise.withResolvers<void>();
    const loadTime = initTime + timeout * 1000;
    // If the environment has ended already, `end` does nothing.
    const loadTimer = setTimeout(
      () => end(started, new Error(`${name} did not load within ${loadTime / 1000} s`)),
      isDebugged() ? debuggerTimeout : loadTime,
    );
    const started: ExecutionEnvironment = { thread, loaded, loadTimer, pending: new Map() };
    thread.on('message', (outcome: WorkerMessage) => {
      if (outcome === 'started') {
        clearTimeout(loadTimer);
        return setLoaded();
      }
      if ('log' in outcome) return log(outcome.log);
      const invocation = started.pending.get(outcome.requestId);
      started.pending.delete(outcome.requestId);
      if ('error' in outcome) invocation?.reject(new Error(outcome.error));
      else invocation?.resolve(outcome.result);
      endIfIdle(started);
    });
    thread.on('error', error => end(started, error as Error));
    thread.on('exit', () => end(started, new Error(`${name} exited`)));
    environments.add(started);
    return started;
  };

  const endIfIdle = (old: ExecutionEnvironment) => {
    if (old !== current && old.pending.size === 0) end(old, new Error(`${name} was replaced`));
  };

  /** @throws a function error: a thrown error, a crash or a timeout; after `stop`, because nobody would end another thread */
  const invoke = async (event: unknown): Promise<unknown> => {
    if (isStopped) throw new Error(`${name} has stopped`);
    current ??= start();
    const executionEnvironment = current;
    const { thread, loaded, pending } = executionEnvironment;
    const requestId = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    pending.set(requestId, { resolve, reject });
    let timer: NodeJS.Timeout | undefined;
    // As in Lambda, the timeout does not include the start of the environment.
    loaded.then(() => {
      if (!pending.has(requestId)) return;
      const time = isDebugged() ? debuggerTimeout : timeout * 1000;
      timer = setTimeout(
        () => end(executionEnvironment, new Error(`${name} timed out after ${timeout} s`)),
        time,
      );
      thread.postMessage({ requestId, event, deadline: Date.now() + time } satisfies Invocation);
    });
    return promise.finally(() => clearTimeout(timer));
  };

  /** Running invocations finish with the old code. */
  const reload = () => {
    const old = current;
    current = undefined;
    if (old) endIfIdle(old);
  };

  const stop = async () => {
    isStopped = true;
    await Promise.all([...environments].map(terminate));
  };
  return { definition, invoke, reload, stop };
};

const startThread = ({
  name,
  code,
  handler,
  memory,
  environment,
  logLevel,
}: FunctionDefinition): Worker => {
  const [file, exported] = handler.split('.');
  const map = `${code}.map`;
  return new Worker(loadWorkerScript(), {
    eval: true,
    env: {
      ...environment,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
    },
    stdout: true,
    workerData: {
      module: join(code, `${file}.mjs`),
      map: existsSync(map) && map,
      exported,
      logLevel,
    },
  });
};

let workerScript: string | undefined;

/** Bundled to JavaScript, because a thread that strips types takes twice as much CPU to start. */
const loadWorkerScript = (): string => {
  const entryPoints = [join(import.meta.dirname, 'lambda-worker.ts')];
  const options = {
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  } satisfies BuildOptions;
  workerScript ??= buildSync({ entryPoints, ...options }).outputFiles[0]!.text;
  return workerScript;
};

/** Node can abort this process if a thread ends while it loads modules (nodejs/node#60755). */
const terminate = async ({ thread, loaded }: ExecutionEnvironment) => {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxStopDelay);
  await Promise.race([loaded, once(thread, 'exit'), waited]);
  clearTimeout(timer);
  await thread.terminate();
};

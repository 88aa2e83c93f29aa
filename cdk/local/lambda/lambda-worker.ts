import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Invocation, WorkerMessage } from './lambda-function.ts';
import { logLevels, logLine } from './log-line.ts';

/** The part of Lambda's Node runtime that a function can observe: module loading, the context and JSON logs. */

/** For log lines. Unlike in Lambda, concurrent invocations share this thread, so each has its own id. */
const requestId = new AsyncLocalStorage<string>();

const threshold = logLevels.indexOf(workerData.logLevel);
for (const [severity, level] of logLevels.entries()) {
  const log = (message: unknown, ...more: unknown[]) => {
    // A line is a message, because a write to a thread's process.stdout takes a message back as well.
    parentPort!.postMessage({
      log: `${logLine(level, requestId.getStore(), message, ...more)}\n`,
    } satisfies WorkerMessage);
  };
  Object.assign(console, { [level]: severity < threshold ? () => undefined : log });
}
console.log = console.info;

const module = pathToFileURL(workerData.module).href;

// Unlike bundles of `npm run dev`, bundles for a deployment do not reference their source maps. This adds the reference, so that
// stack traces and debuggers show the source. It is relative, because Node supports no absolute URLs here except data:.
const { map } = workerData;
if (map) {
  const comment = `\n//# sourceMappingURL=${relative(dirname(workerData.module), map).replaceAll('\\', '/')}`;
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      return url === module ? { ...loaded, source: `${loaded.source}${comment}` } : loaded;
    },
  });
}
if (map || existsSync(`${workerData.module}.map`)) process.setSourceMapsEnabled(true);

const loading = import(module);
const postStarted = () => parentPort!.postMessage('started' satisfies WorkerMessage);
loading.then(postStarted, postStarted);

parentPort!.on('message', async ({ requestId: current, event, deadline }: Invocation) => {
  let outcome: WorkerMessage;
  try {
    const { [workerData.exported]: handler } = await loading;
    const context = {
      awsRequestId: current,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      getRemainingTimeInMillis: () => deadline - Date.now(),
    };
    outcome = {
      requestId: current,
      result: await requestId.run(current, () => handler(event, context)),
    };
  } catch (error) {
    outcome = {
      requestId: current,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
  parentPort!.postMessage(outcome);
});

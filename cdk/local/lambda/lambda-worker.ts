import { AsyncLocalStorage } from 'node:async_hooks';
import { registerHooks } from 'node:module';
import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Answered, Invocation, Started } from './lambda-function.ts';
import { logLevels, logLine } from './log-line.ts';

/** The part of Lambda's Node runtime that a function sees: its module, its context, and logs as lines of JSON. */

/** Of the invocation that logs: one thread answers several at once here. */
const requestId = new AsyncLocalStorage<string>();

const least = logLevels.indexOf(workerData.logLevel);
for (const [importance, level] of logLevels.entries()) {
  const log = (message: unknown, ...more: unknown[]) => {
    process.stdout.write(`${logLine(level, requestId.getStore(), message, ...more)}\n`);
  };
  Object.assign(console, { [level]: importance < least ? () => undefined : log });
}
console.log = console.info;

const module = pathToFileURL(workerData.module).href;

// Nothing that is deployed names its source map. Here Node is told of it while it loads, so that a trace, and a debugger,
// show the source. (Relative, because Node takes no absolute URL but data: there.)
const { map } = workerData;
if (map) {
  const comment = `\n//# sourceMappingURL=${relative(dirname(workerData.module), map)}`;
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      return url === module ? { ...loaded, source: `${loaded.source}${comment}` } : loaded;
    },
  });
  process.setSourceMapsEnabled(true);
}

const loading = import(module);
const sayStarted = () => parentPort!.postMessage('started' satisfies Started);
loading.then(sayStarted, sayStarted);

parentPort!.on('message', async ({ id, requestId: current, event, deadline }: Invocation) => {
  let outcome: Answered;
  try {
    const { [workerData.exported]: handler } = await loading;
    const context = {
      awsRequestId: current,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      getRemainingTimeInMillis: () => deadline - Date.now(),
    };
    const result = await requestId.run(current, () => handler(event, context));
    outcome = { id, result };
  } catch (error) {
    outcome = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort!.postMessage(outcome);
});

import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Invocation, Outcome, Started } from './lambda.ts';

/** The part of Lambda's Node runtime that a function sees: its module, its context, and logs as lines of JSON. */

let requestId = '';

for (const level of ['debug', 'info', 'warn', 'error'] as const) {
  console[level] = (message: unknown) => {
    const logged =
      message instanceof Error
        ? {
            errorType: message.name,
            errorMessage: message.message,
            stackTrace: message.stack?.split('\n'),
            cause: String(message.cause ?? ''),
          }
        : message;
    const line = { timestamp: new Date().toISOString(), level: level.toUpperCase(), requestId, message: logged };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
}

const loading = import(pathToFileURL(workerData.module).href);
const sayStarted = () => parentPort!.postMessage('started' satisfies Started);
loading.then(sayStarted, sayStarted);

parentPort!.on('message', async ({ id, requestId: current, event, deadline }: Invocation) => {
  requestId = current;
  let outcome: Outcome;
  try {
    const { [workerData.exported]: handler } = await loading;
    const result = await handler(event, {
      awsRequestId: current,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      getRemainingTimeInMillis: () => deadline - Date.now(),
    });
    outcome = { id, result };
  } catch (error) {
    outcome = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort!.postMessage(outcome);
});

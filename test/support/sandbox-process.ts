import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The child process of sandbox.ts. */
const { module, event, timeLeft, freezesAfterInit } = JSON.parse(process.env.SANDBOX!);
const { handler } = await import(pathToFileURL(module).href);
writeSync(3, 'initialized\n');
if (freezesAfterInit) process.kill(process.pid, 'SIGSTOP');
const deadline = Date.now() + timeLeft;
const result = await handler(event, { getRemainingTimeInMillis: () => deadline - Date.now() });
writeSync(3, `${JSON.stringify(result)}\n`);
process.kill(process.pid, 'SIGSTOP');

import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The child process of test/support/sandbox.ts. */
const { module, event, timeLeft } = JSON.parse(process.env.SANDBOX!);
const { handler } = await import(pathToFileURL(module).href);
const deadline = Date.now() + timeLeft;
const result = await handler(event, { getRemainingTimeInMillis: () => deadline - Date.now() });
writeSync(3, JSON.stringify(result));
process.kill(process.pid, 'SIGSTOP');

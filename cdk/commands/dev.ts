import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { tempFolder } from '../files/temp-folder.ts';
import { readStartOptions } from '../local/options.ts';
import { watchFiles } from '../local/watch/watch-files.ts';

// Starts the server, and starts it again when it asks for that, because a process cannot replace itself.

readStartOptions('npm run dev');

/** --memory becomes --data with a temporary folder, because a restart loses data in memory. */
const args = process.argv
  .slice(2)
  .flatMap(argument => (argument === '--memory' ? ['--data', tempFolder('data')] : [argument]));

/** With --port 0, the first server picks the port of the next ones. */
let port: string[] = [];
let child: ChildProcess;
/** This process ends after the server, or at once if none runs. */
const end = (signal: NodeJS.Signals) => {
  if (child.kill(signal)) return;
  process.exit(1); // mutant: nobody distinguishes the codes of a stop, and test/e2e shows that it ends
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);

/** @returns its exit code, or undefined if it asked for a restart */
const run = async (): Promise<number | undefined> => {
  const program = join(import.meta.dirname, '../local/watch/watch.ts');
  child = spawn(process.execPath, [program, ...args, ...port], {
    // The IPC channel closes however this process ends, and then the server stops.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  let restarts = false;
  // An exit code would be lost if Node crashes while it ends threads (nodejs/node#60755).
  child.on('message', bound => {
    restarts = true;
    port = ['--port', `${bound}`];
  });
  const [code] = await once(child, 'exit');
  return restarts ? undefined : (code ?? 1);
};

const nextChange = async (): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const stop = await watchFiles(resolve);
  console.error('↻ waiting for a change that fixes it');
  await promise;
  await stop();
};

let code = await run();
while (code === undefined) {
  code = await run();
  if (code !== 1) continue;
  await nextChange();
  code = undefined;
}
process.exit(code);

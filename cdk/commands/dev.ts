import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { scratchFolder } from '../build/temp-folder.ts';
import { again } from '../local/watch/restart-exit-code.ts';
import { watchFiles } from '../local/watch/watch-files.ts';

// What `npm run dev` runs: a server that follows the source, and that is started again when the source is its own.

/** What is not to be kept between runs is kept between starts all the same. */
let args = process.argv
  .slice(2)
  .flatMap(argument => (argument === '--memory' ? ['--data', scratchFolder('data')] : [argument]));

let child: ChildProcess;
/** The server ends first, in its own way, and this process with it; while there is none, at once. */
const end = (signal: NodeJS.Signals) => {
  if (!child.kill(signal)) process.exit(1);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);

const run = async (): Promise<number> => {
  child = spawn(process.execPath, [join(import.meta.dirname, '../local/watch/watch.ts'), ...args], {
    // The channel ends with this process, however that ends, and the server with the channel.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
};

const nextSave = async (): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const stop = await watchFiles(join(import.meta.dirname, '../..'), ['cdk', 'lib'], resolve);
  await promise;
  await stop();
};

/** What was loaded once is there. */
const withoutImport = (all: readonly string[]) =>
  all.filter((argument, at) => !argument.startsWith('--import') && all[at - 1] !== '--import');

let code = await run();
args = withoutImport(args);
while (code === again) {
  code = await run();
  if (code !== 1) continue;
  console.error('↻ waiting for a save that mends it');
  await nextSave();
  code = again;
}
process.exit(code);

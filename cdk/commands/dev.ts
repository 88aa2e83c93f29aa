import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { commandOf, runMain } from '../command.ts';
import { tempFolder } from '../files/temp-folder.ts';
import { type StartOptions, serverDefinition, toStartOptions } from '../local/options.ts';
import { watchFiles } from '../local/watch/watch-files.ts';
import { whenOrphaned } from '../local/when-orphaned.ts';

// Starts the server, and starts it again when it asks for that, because a process cannot replace itself.

let child: ChildProcess | undefined;
/** This process ends after the server, or at once if none runs. */
const end = (signal: NodeJS.Signals) => {
  if (child?.kill(signal)) return;
  process.exit(1); // mutant: nobody distinguishes the codes of a stop, and test/e2e shows that it ends
};

/** @returns the exit code, or the port if the server asked for a restart */
const run = async (options: StartOptions): Promise<{ code: number } | { port: number }> => {
  const program = join(import.meta.dirname, '../local/watch/watch.ts');
  child = spawn(process.execPath, [program, JSON.stringify(options)], {
    // The IPC channel closes however this process ends, and then the server stops.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  let port: number | undefined;
  // An exit code would be lost if Node crashes while it ends threads (nodejs/node#60755).
  child.on('message', bound => {
    port = bound as number;
  });
  const [code] = await once(child, 'exit');
  return port === undefined ? { code: code ?? 1 } : { port };
};

const nextChange = async (): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const stop = await watchFiles(resolve);
  console.error('↻ waiting for a change that fixes it');
  await promise;
  await stop();
};

export const command = commandOf(serverDefinition('npm run dev'), async values => {
  const given = toStartOptions(values);
  // A restart loses data in memory.
  let options = { ...given, folder: given.folder ?? tempFolder('data') };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  whenOrphaned(() => end('SIGTERM'));
  let restarts = false;
  for (;;) {
    const ended = await run(options);
    // With --port 0, the first server picks the port of the next ones.
    if ('port' in ended) options = { ...options, port: ended.port };
    else if (restarts && ended.code === 1) await nextChange();
    else process.exit(ended.code);
    restarts = true;
  }
});

if (import.meta.main) await runMain(command, () => undefined);

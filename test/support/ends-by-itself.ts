import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll } from 'vitest';

// Node emits `beforeExit` when nothing keeps the process alive any more: no server, timer, thread, child process or watcher.
// A function that `beforeAll` returns runs after all other hooks of a file.
beforeAll(() => async () => {
  process.channel!.unref();
  const ended = once(process, 'beforeExit').then(() => true);
  const ends = await Promise.race([ended, sleep(30_000, false, { ref: false })]);
  process.channel!.ref();
  if (ends) return;
  const open = process.getActiveResourcesInfo().filter(name => name !== 'PipeWrap');
  throw new Error(
    `The process of this file does not end by itself. Stop what the file starts (afterAll, onTestFinished): ${open.join(', ') || 'threads'}`,
  );
});

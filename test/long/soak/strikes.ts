import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** Does something every so often, in milliseconds (half of it to one and a half), until it is told to stop. */
export const every = (milliseconds: number, strike: () => Promise<unknown> | unknown) => {
  const stopping = new AbortController();
  let count = 0;
  const running = (async () => {
    for (;;) {
      await sleep(milliseconds * (0.5 + Math.random()), undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await strike();
      count += 1;
    }
  })();
  // Told when it is stopped.
  running.catch(() => undefined);
  return {
    count: () => count,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

/** The threads of this process from now on. */
export const watchThreads = () => {
  const threads = new Set<Worker>();
  const add = (thread: Worker) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  };
  process.on('worker', add);
  return {
    /** Ends one of them, whatever it does. */
    killOne: () => [...threads][Math.floor(Math.random() * threads.size)]?.terminate(),
    stop: () => process.off('worker', add),
  };
};

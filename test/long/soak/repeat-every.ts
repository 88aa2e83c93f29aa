import { setTimeout as sleep } from 'node:timers/promises';

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

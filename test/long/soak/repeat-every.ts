import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats an action at random intervals of 0.5 to 1.5 times `milliseconds`, until it is stopped. */
export const repeatEvery = (milliseconds: number, action: () => Promise<unknown> | unknown) => {
  const stopping = new AbortController();
  let count = 0;
  const running = (async () => {
    for (;;) {
      await sleep(milliseconds * (0.5 + Math.random()), undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await action();
      count += 1;
    }
  })();
  // `stop` reports the error.
  running.catch(() => undefined);
  return {
    count: () => count,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

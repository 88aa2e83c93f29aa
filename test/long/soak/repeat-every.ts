import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats an action until `stop` is called, at random intervals of 0.5 to 1.5 times `milliseconds`. */
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
  // `stop` throws the error of an action. Node would report an unhandled rejection before that.
  running.catch(() => undefined);
  return {
    count: () => count,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

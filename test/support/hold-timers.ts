import { vi } from 'vitest';

// The speed of a machine decides no test: a timeout ends when the test says so.

const realSetTimeout = globalThis.setTimeout;

/** Until the spy is restored, `fire` runs the timers of this time, in milliseconds, for which no test waits. */
export const holdTimers = (time: number) => {
  const held: (() => void)[] = [];
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    work: () => void,
    delay?: number,
  ) => {
    if (delay === time) held.push(work);
    return realSetTimeout(work, delay);
  }) as typeof setTimeout);
  const fire = () => {
    for (const work of held.splice(0)) work();
  };
  return { held, spy, fire };
};

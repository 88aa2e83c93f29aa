import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds: timers fire late. Work that is later than this starts the schedule again at its time. */
const tolerance = 100;

/** Spaces work evenly: after a pause, the rate is the same. @param rate units a second; Infinity: no limit */
export const createRateLimit = (rate: number) => {
  let next = Number.NEGATIVE_INFINITY;
  /** @returns the milliseconds until the work may begin */
  const plan = (units: number): number => {
    const now = performance.now(); // the wall clock can step back
    const at = next < now - tolerance ? now : next;
    next = at + (units * 1000) / rate;
    return Math.max(at - now, 0);
  };
  return {
    /** @param units 0: `charge` has them after the work */
    wait: (units = 1): Promise<void> => sleep(plan(units)),
    charge: (units: number): void => void plan(units),
  };
};

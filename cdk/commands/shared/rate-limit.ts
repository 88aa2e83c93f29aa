/** Timers fire some milliseconds late. A schedule that is late by no more than this is kept; else it starts again from now. */
const tolerance = 100;

/**
 * Spaces work evenly. Unused time is not saved up: after a pause the rate is the same.
 * @param rate units a second; Infinity: no limit
 * @returns how many milliseconds to wait before work of so many units. Where the units are known only afterwards, wait
 * for 0 units before the work and count its units after it.
 */
export const createRateLimit = (rate: number) => {
  let next = Number.NEGATIVE_INFINITY;
  return (units = 1, now = Date.now()): number => {
    const at = next < now - tolerance ? now : next;
    next = at + (units * 1000) / rate;
    return Math.max(at - now, 0);
  };
};

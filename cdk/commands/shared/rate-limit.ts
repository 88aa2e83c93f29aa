/** Milliseconds: timers fire late. Work that is later than this starts the schedule again at its time. */
const tolerance = 100;

/**
 * Spaces work evenly: after a pause, the rate is the same. @param rate units a second; Infinity: no limit
 * @returns a function that takes units and returns the milliseconds to wait before their work. If you know the units only after
 * the work, pass 0 before it, and the units after it without a wait.
 */
export const createRateLimit = (rate: number) => {
  let next = Number.NEGATIVE_INFINITY;
  return (units = 1, now = Date.now()): number => {
    const at = next < now - tolerance ? now : next;
    next = at + (units * 1000) / rate;
    return Math.max(at - now, 0);
  };
};

/**
 * In milliseconds: how late work may start without a change of the schedule, because timers fire late. If work starts later than
 * that, the schedule starts again at that time.
 */
const tolerance = 100;

/**
 * Spaces work evenly. Unused time is not saved up: after a pause the rate is the same.
 * @param rate units a second; Infinity: no limit
 * @returns a function that takes the units of some work, and returns how many milliseconds to wait before this work. If you know
 * the units only after the work, call the function with 0 before it, and with the units after it, without a wait.
 */
export const createRateLimit = (rate: number) => {
  let next = Number.NEGATIVE_INFINITY;
  return (units = 1, now = Date.now()): number => {
    const at = next < now - tolerance ? now : next;
    next = at + (units * 1000) / rate;
    return Math.max(at - now, 0);
  };
};

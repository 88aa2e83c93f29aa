/**
 * Milliseconds. Timers fire late. If work starts at most this late, the schedule does not change. If work starts later, the
 * schedule starts again from now.
 */
const tolerance = 100;

/**
 * Spaces work evenly. Unused time is not saved up: after a pause the rate is the same.
 * @param rate units a second; Infinity: no limit
 * @returns a function that takes a number of units and returns how many milliseconds to wait before that work. If you know the
 * units only after the work, call it with 0 before the work, and with the units after the work.
 */
export const createRateLimit = (rate: number) => {
  let next = Number.NEGATIVE_INFINITY;
  return (units = 1, now = Date.now()): number => {
    const at = next < now - tolerance ? now : next;
    next = at + (units * 1000) / rate;
    return Math.max(at - now, 0);
  };
};

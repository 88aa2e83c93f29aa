/** Spaces requests out evenly. @param rate requests a second @returns how long the next one waits from now on, all in milliseconds */
export const createPace = (rate: number): ((now: number) => number) => {
  let next = 0;
  return now => {
    const at = Math.max(next, now);
    next = at + 1000 / rate;
    return at - now;
  };
};

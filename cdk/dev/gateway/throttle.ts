/** A token bucket, as API Gateway's stage throttle: `rate` requests a second, `burst` at once. Says whether a request may pass. */
export const createThrottle = (rate: number, burst: number, now: () => number = Date.now) => {
  let tokens = burst;
  let last = now();
  return (): boolean => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - last) / 1000) * rate);
    last = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};

import type { MethodThrottle } from '../../synthesis/throttles.ts';

/** A token bucket. @returns whether a request is allowed */
export const createThrottle = ({ rate, burst }: MethodThrottle, now: () => number = Date.now) => {
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

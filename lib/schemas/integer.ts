import * as z from 'zod/mini';
import { expected } from './expected.ts';

/** Both bounds are included. */
export const integer = (least: number, most: number) => {
  const message = expected(`an integer from ${least} to ${most}`);
  return z.int(message).check(z.minimum(least, message), z.maximum(most, message));
};

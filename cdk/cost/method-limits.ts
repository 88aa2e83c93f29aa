import type { Assembly } from '../build/synthesize.ts';
import type { Throttle } from '../config/limits.ts';
import { readApi } from '../local/gateway/api.ts';

/**
 * The largest answer of a method in bytes, headers included and uncompressed, because a client may always refuse
 * compression. Measured with the largest permitted items (test/api/request-units.test.ts), rounded up.
 */
export const largestAnswers: Readonly<Record<string, number>> = {
  'GET /pets': 58_000,
  'GET /pets/categories': 655_000,
  'GET /store/inventory': 15_000,
  'GET /store/orders': 25_000,
  'GET /openapi.json': 140_000,
  'GET /docs/{file}': 1_750_000,
};
/** The same of any other method: one category of the widest characters, or an Error that names every fault. */
export const largestOtherAnswer = 10_000;
const largestFixedAnswer = 1_500;

export interface Flow extends Throttle {
  /** `GET /pets` */
  readonly name: string;
  /** Bytes of its largest answer. */
  readonly bytes: number;
  /** Memory in GB and time-out in seconds of the function that answers; a fixed answer has none. */
  readonly gigabytes: number;
  readonly timeout: number;
}

/** What each method of the template lets through, and the function that answers it. */
export const flowsOf = (assembly: Assembly): Flow[] => {
  const { resources, functions } = readApi(assembly);
  return resources
    .flatMap(({ path, methods }) => [...methods].map(([verb, method]) => ({ name: `${verb} ${path}`, ...method })))
    .map(({ name, throttle, target }) => {
      if ('mock' in target) return { name, ...throttle, bytes: largestFixedAnswer, gigabytes: 0, timeout: 0 };
      const { memory, timeout } = functions.get(target.function)!;
      const bytes = largestAnswers[name] ?? largestOtherAnswer;
      return { name, ...throttle, bytes, gigabytes: memory / 1024, timeout };
    });
};

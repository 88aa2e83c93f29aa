import type { Throttle } from '../config/limits.ts';
import * as page from '../config/page.ts';
import { readApi } from '../synthesis/api.ts';
import type { Assembly } from '../synthesis/template.ts';

/**
 * Bytes with headers, uncompressed, because a client may refuse compression. They are measured with the largest items
 * (test/api/request-units.test.ts), then rounded up.
 */
export const largestResponses: Readonly<Record<string, number>> = {
  'GET /pets': 58_000,
  'GET /pets/categories': 655_000,
  'GET /store/inventory': 15_000,
  'GET /store/orders': 25_000,
  'GET /openapi.json': 155_000,
  ...page.largestResponses,
};
/** A category of the widest characters, or an Error with every violation. */
export const largestOtherResponse = 10_000;
const largestMockResponse = 1_500;

/** A method's throttle, and the most that one request uses. */
export interface MethodLimits extends Throttle {
  /** `GET /pets` */
  readonly name: string;
  /** The largest response. */
  readonly bytes: number;
  /** Memory of the function; 0 for a mock integration. */
  readonly gigabytes: number;
  /** Seconds; 0 for a mock integration. */
  readonly timeout: number;
}

export const methodLimitsOf = (assembly: Assembly): MethodLimits[] => {
  const { resources, functions } = readApi(assembly);
  return resources
    .flatMap(({ path, methods }) =>
      [...methods].map(([verb, method]) => ({ name: `${verb} ${path}`, ...method })),
    )
    .map(({ name, throttle, target }) => {
      if ('mock' in target)
        return { name, ...throttle, bytes: largestMockResponse, gigabytes: 0, timeout: 0 };
      const { memory, timeout } = functions.get(target.function)!;
      const bytes = largestResponses[name] ?? largestOtherResponse;
      return { name, ...throttle, bytes, gigabytes: memory / 1024, timeout };
    });
};

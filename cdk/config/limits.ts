import * as z from 'zod';
import { operationIds } from '../../lib/operations/index.ts';
import * as page from './page.ts';
import { integer } from './validate.ts';

/** The maximum of point-in-time recovery (API reference, PointInTimeRecoverySpecification). */
export const recoveryDays = 35;

/** The maximum of SQS, so that a person has time to act (SQS API reference, MessageRetentionPeriod). */
export const deadLetterDays = 14;

const rate = 'a number from 0 to 10000';

/**
 * `rate`: requests per second, such as 0.5. `burst`: requests at once. API Gateway rejects more with 429. The upper bounds are
 * the quotas of an account in a region (API Gateway developer guide, "Amazon API Gateway quotas").
 */
export const Throttle = z.strictObject({
  rate: z.number(rate).min(0, rate).max(10_000, rate),
  burst: integer(0, 5_000),
});
export type Throttle = z.infer<typeof Throttle>;

/** Seconds that the gateway waits beyond a function's timeout, which excludes the cold start. */
export const startAllowance = 5;

/** Seconds ("Amazon API Gateway quotas"). */
const maxIntegrationTimeout = 29;

/** For all callers of the operation together. */
export const OperationLimit = z.strictObject(
  {
    ...Throttle.shape,
    /** Seconds. The function responds with 503 half a second earlier (lib/http/handle.ts). */
    timeout: integer(1, maxIntegrationTimeout - startAllowance),
  },
  'rate, burst and timeout, in cdk/config/limits.ts',
);
export type OperationLimit = z.infer<typeof OperationLimit>;

export const Limits = z.record(z.enum(operationIds), OperationLimit);
export type Limits = z.infer<typeof Limits>;

/**
 * A flood of one operation does not affect the others, because API Gateway throttles each method separately ("Per-API, per-stage
 * throttling limits are applied at the API method level for a stage": developer guide, "Throttle requests to your REST APIs").
 * The rates here and the default throttle cap the bill: in the worst-case month, an operation's Lambda duration is proportional
 * to rate × timeout. A read's timeout leaves time for a stalled attempt (1 s) and a retry, a write's for all retries of
 * lib/model/table/retry.ts. It excludes the cold start, for which Lambda allows ten seconds (Lambda developer guide,
 * "Understanding the Lambda execution environment lifecycle").
 */
export const limits: Limits = {
  // The public catalog. Lists of pets have the most requests.
  listPets: { rate: 10, burst: 60, timeout: 2 },
  // getPet is deprecated, because listPets returns a single pet, too.
  getPet: { rate: 2, burst: 20, timeout: 2 },
  listCategories: { rate: 2, burst: 20, timeout: 2 },
  getCategory: { rate: 2, burst: 20, timeout: 2 },
  // Orders.
  placeOrder: { rate: 2, burst: 20, timeout: 4 },
  getOrder: { rate: 2, burst: 20, timeout: 2 },
  listOrders: { rate: 1, burst: 10, timeout: 2 },
  updateOrder: { rate: 1, burst: 10, timeout: 4 },
  cancelOrder: { rate: 1, burst: 10, timeout: 4 },
  // Staff. A catalog import runs at the rate of createPet.
  createPet: { rate: 1, burst: 20, timeout: 4 },
  replacePet: { rate: 0.5, burst: 10, timeout: 4 },
  updatePet: { rate: 1, burst: 20, timeout: 4 },
  deletePet: { rate: 0.5, burst: 10, timeout: 4 },
  createCategory: { rate: 0.5, burst: 10, timeout: 4 },
  replaceCategory: { rate: 0.5, burst: 10, timeout: 4 },
  deleteCategory: { rate: 0.5, burst: 10, timeout: 4 },
  listInventory: { rate: 1, burst: 10, timeout: 2 },
  getInventory: { rate: 1, burst: 20, timeout: 2 },
  setInventory: { rate: 1, burst: 20, timeout: 4 },
  getOpenApi: { rate: 1, burst: 10, timeout: 2 },
  ...page.limits,
};

/**
 * For 404, 405, and preflights that need no larger one (cdk/stack/api.ts). AWS does not document whether the verbs of ANY share
 * one throttle; if not, the worst-case month costs some $475 more.
 */
export const defaultThrottle: Throttle = { rate: 1, burst: 20 };

/**
 * The publisher mostly waits for the bus, so it needs a quarter of the memory of operations. One batch of a shard at a time is
 * enough for some hundreds of changes a second, more than the table's maximum writes. A batching window would save invocations,
 * but delay every event.
 */
export const publisher = {
  /** Megabytes. */
  memory: 256,
  /** Seconds. */
  timeout: 30,
  /** Records; DynamoDB's stream allows 10,000. */
  batchSize: 100,
  /** Concurrent batches of one shard. Records of one item are never in two of them. */
  parallelization: 1,
} as const;

export const uniformLimits = (limit: OperationLimit): Limits =>
  Object.fromEntries(Object.keys(limits).map(id => [id, limit])) as Limits;

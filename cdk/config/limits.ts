import * as z from 'zod';
import { operationIds } from '../../lib/operations/index.ts';
import { integer } from './validate.ts';

const rate = 'a number from 0 to 10000';

/**
 * Requests per second, which may be a fraction, and how many at once. What comes beyond is refused (429). The bounds are an
 * account's quota in a region (API Gateway developer guide, "Amazon API Gateway quotas").
 */
export const Throttle = z.strictObject({
  rate: z.number(rate).min(0, rate).max(10_000, rate),
  burst: integer(0, 5_000),
});
export type Throttle = z.infer<typeof Throttle>;

/** Seconds that the gateway waits beyond a function's time-out: for its start, which the time-out does not count. */
export const startAllowance = 5;

/** Seconds that API Gateway waits for an integration at most ("Amazon API Gateway quotas"). */
const maxIntegrationTimeout = 29;

/** What one operation may take, for all its callers together. */
export const OperationLimit = z.strictObject({
  ...Throttle.shape,
  /** Seconds that its function may run; it answers 503 half a second before (lib/http/handle.ts). */
  timeout: integer(1, maxIntegrationTimeout - startAllowance),
});
export type OperationLimit = z.infer<typeof OperationLimit>;

export const Limits = z.record(z.enum(operationIds), OperationLimit);
export type Limits = z.infer<typeof Limits>;

/**
 * API Gateway throttles each method of a stage by itself ("Per-API, per-stage throttling limits are applied at the API
 * method level for a stage": developer guide, "Throttle requests to your REST APIs"). So a flood of one operation leaves
 * the others their rates, and the bill is bounded by the sum of this table and of what the fixed answers inherit.
 *
 * In the worst month every request runs until its time-out, so a second of patience costs as much as another request a
 * second. A read has time for a try that stalls (1 s) and its repeat, a write for all of the patience of
 * lib/model/table/retry.ts. A cold start is not in it: Lambda counts the time-out from the invocation, and grants the start ten
 * seconds of its own (Lambda developer guide, "Understanding the Lambda execution environment lifecycle").
 */
export const limits: Limits = {
  // Browsing, which anyone may do. A page of pets is what a shop's visitors ask for most.
  listPets: { rate: 10, burst: 60, timeout: 2 },
  // Deprecated: who reads one pet does so with listPets.
  getPet: { rate: 2, burst: 20, timeout: 2 },
  listCategories: { rate: 2, burst: 20, timeout: 2 },
  getCategory: { rate: 2, burst: 20, timeout: 2 },
  // Orders.
  placeOrder: { rate: 2, burst: 20, timeout: 4 },
  getOrder: { rate: 2, burst: 20, timeout: 2 },
  listOrders: { rate: 1, burst: 10, timeout: 2 },
  updateOrder: { rate: 1, burst: 10, timeout: 4 },
  cancelOrder: { rate: 1, burst: 10, timeout: 4 },
  // The staff's work; an import of a catalogue goes at the rate of createPet.
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
  // The documentation reads no table. Its files are a thousand times an ordinary answer.
  getOpenApi: { rate: 1, burst: 10, timeout: 2 },
  getDocs: { rate: 1, burst: 10, timeout: 2 },
  getDocsFile: { rate: 0.5, burst: 40, timeout: 2 },
};

/**
 * The stage's default: what 404, 405 and each path's preflight may take, which have no row above. (That an ANY method has
 * one bucket is not documented. Were it one for each verb, the worst month would cost some $500 more.)
 */
export const defaultThrottle: Throttle = { rate: 1, burst: 20 };

/**
 * The function that tells changes, and how records of the stream come to it. It waits for the bus most of the time, so a
 * quarter of the memory of the others does. One batch at a time for each shard tells some hundreds of changes a second, more
 * than the table's largest rate of writes makes; a window to gather more would save invocations, of which an idle store has none
 * anyway, and delay each event by as much.
 */
export const publisher = {
  /** Megabytes. */
  memory: 256,
  /** Seconds. */
  timeout: 30,
  /** Records; DynamoDB's stream allows 10 000. */
  batchSize: 100,
  /** Batches of one shard at the same time. Those of one item never overlap, whatever the number. */
  parallelization: 1,
} as const;

/** One row for all. */
export const uniformLimits = (limit: OperationLimit): Limits =>
  Object.fromEntries(Object.keys(limits).map(id => [id, limit])) as Limits;

import * as z from 'zod';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { integer } from './validate.ts';

const above0 = 'a number above 0';
const share = 'a number above 0, at most 100';
const percent = z.number(share).positive(share).max(100, share);

/** When an alarm rings, with the defaults. Alarms that have no threshold here ring at the first failure. */
export const Thresholds = z.strictObject({
  /** ServerErrors: percent of all requests, in three 5-minute periods within two hours. */
  serverErrorPercent: percent.default(10),
  /** RequestsFailing: at least so many requests of an operation within 24 hours (2 in a shop where few use it) … */
  failingRequests: integer(1, 10_000).default(3),
  /** … beyond this percent of them. A shop of any size has some random failures. */
  failingPercent: percent.default(1),
  /** HighLatency: seconds of a tenth of the requests, in three 5-minute periods within two hours. */
  slowSeconds: z.number(above0).positive(above0).default(1.5),
  /** Throttled: requests within five minutes that DynamoDB throttles. */
  throttledRequests: integer(1, 1_000_000).default(5),
  /** CallersThrottled: requests above a rate limit, in each of three 5-minute periods. */
  throttledCallers: integer(1, 1_000_000).default(10),
  /** EventPublishingDelayed: the minutes that a change waits. Lambda discards it after 23 hours. */
  delayMinutes: integer(1, 22 * 60).default(15),
});
export type Thresholds = z.infer<typeof Thresholds>;

/**
 * Each has a metric and an alarm RequestsFailing of its own, because a group would hide an operation that few use. The public lists
 * are most requests of a shop: ServerErrors watches them, for $0.80 a month less.
 */
export const watched: readonly RegisteredOperation[] = allOperations.filter(
  ({ id, access }) => access !== 'public' || !id.startsWith('list'),
);

/**
 * Ends of request ids, by which one of 64 successes counts. A metric costs money in each hour with data, so one that counts every
 * success would cost $0.30 a month for each operation. Ids are random, but a client may set its own (API Gateway developer guide,
 * "Variables for access logging", requestId), which then count more often or never.
 */
export const sampledIds = ['*00', '*40', '*80', '*c0'];
export const successSampling = sampledIds.length / 16 ** 2;

/** What a sampled success adds to the sum of failures, of which each adds 1. */
export const successWeight = ({ failingPercent }: Thresholds): number =>
  -failingPercent / 100 / successSampling;

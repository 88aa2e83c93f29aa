import * as z from 'zod';
import { integer } from './validate.ts';

const above0 = 'a number above 0';
const share = 'a number above 0, at most 100';

/** When an alarm rings, with the defaults. Alarms that have no threshold here ring at the first failure. */
export const Thresholds = z.strictObject({
  /** ServerErrors: percent of all requests, in three 5-minute periods within two hours. */
  serverErrorPercent: z.number(share).positive(share).max(100, share).default(10),
  /**
   * OrdersFailing and Failures: failures within an hour, of which a 503 is a fifth. Set 2 above some 1,000 requests a day without
   * those of the public lists, and 3 above 50,000: a shop of any size has some random failures.
   */
  failures: integer(1, 10_000).default(1),
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

/** Of all alarms of a stage with every setting: each costs money. An alarm of your own is one more. */
export const alarmMetrics = 11;

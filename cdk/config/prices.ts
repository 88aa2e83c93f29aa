export const secondsPerMonth = 30 * 24 * 3600;

/** X-Ray records the first request of each second, and this share of the others (X-Ray developer guide, "Configure sampling rules"). */
export const sampledShare = 0.05;

/**
 * List prices in US dollars, us-east-1, without free tiers, on this date. They change: compare them with the pricing pages of
 * aws.amazon.com for each service.
 */
export const prices = {
  date: '2026-11-20',
  /** REST API, the first 333 million a month. */
  gatewayRequest: 3.5 / 1e6,
  /** AWS WAF, a month: a web ACL and its rule. */
  webAcl: 5 + 1,
  /** Also those that AWS WAF blocks. */
  webAclRequest: 0.6 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** arm64. */
  lambdaGigabyteSecond: 0.000_013_333_4,
  writeRequestUnit: 0.625 / 1e6,
  readRequestUnit: 0.125 / 1e6,
  /**
   * A custom event of up to 64 KB, charged when it is published; matching rules is free. A dead-lettered record ($0.40 per
   * million) costs less than its events. Lambda's stream reads are free (DynamoDB's page, "DynamoDB Streams").
   */
  eventPut: 1 / 1e6,
  logGigabyte: 0.5,
  traceRecorded: 5 / 1e6,
  transferGigabyte: 0.09,
  /** Machine-to-machine. */
  token: 0.002_25,
  /** SQS, standard queue, per 64 KB. */
  queueRequest: 0.4 / 1e6,
  /** Secrets Manager. */
  secretMonth: 0.4,
  secretRequest: 0.05 / 10_000,
  tableGigabyteMonth: 0.25,
  backupGigabyteMonth: 0.2,
  logGigabyteMonth: 0.03,
  /** A month, standard resolution; ten of an account are free. Each metric of a metric-math alarm counts. */
  alarmMetric: 0.1,
  /** A month, of the first 10,000, prorated by the hour. Ten of an account are free. */
  customMetric: 0.3,
  /** A month. Three of an account are free, with at most 50 metrics each. */
  dashboard: 3,
} as const;

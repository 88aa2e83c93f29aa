export const secondsPerMonth = 30 * 24 * 3600;

/** X-Ray records the first request of each second, and this share of the other requests (X-Ray developer guide, "Configure sampling rules"). */
export const sampledShare = 0.05;

/**
 * List prices on the date below, in US dollars, for us-east-1, without free tiers. Prices change: compare these with the pricing
 * pages of aws.amazon.com for each service.
 */
export const prices = {
  date: '2026-11-20',
  /** REST API, the first 333 million a month. */
  gatewayRequest: 3.5 / 1e6,
  /** AWS WAF, a month: a web ACL and its rule. */
  webAcl: 5 + 1,
  /** AWS WAF charges for every request, also for a request that it blocks. */
  webAclRequest: 0.6 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** Lambda on arm64. */
  lambdaGigabyteSecond: 0.000_013_333_4,
  writeRequestUnit: 0.625 / 1e6,
  readRequestUnit: 0.125 / 1e6,
  /**
   * A custom event of up to 64 KB. AWS charges for publishing, not for matching rules. The bill has no line for dead-lettered
   * records ($0.40 per million), because dead-lettering a record costs less than publishing its events. Lambda's stream reads are
   * free (DynamoDB's page, "DynamoDB Streams").
   */
  eventPut: 1 / 1e6,
  logGigabyte: 0.5,
  traceRecorded: 5 / 1e6,
  transferGigabyte: 0.09,
  /** An access token of a machine client (Cognito). */
  token: 0.002_25,
  /** A request to an SQS standard queue, per 64 KB. */
  queueRequest: 0.4 / 1e6,
  /** A secret in Secrets Manager, a month. */
  secretMonth: 0.4,
  secretRequest: 0.05 / 10_000,
  tableGigabyteMonth: 0.25,
  backupGigabyteMonth: 0.2,
  logGigabyteMonth: 0.03,
  /** An alarm of standard resolution, a month, for each metric that it reads. Ten per account are free. */
  alarmMetric: 0.1,
  /** A month, for each of the first 10,000 custom metrics, prorated by the hour. Ten per account are free. */
  customMetric: 0.3,
  /** A month. Three of an account are free, with at most 50 metrics each. */
  dashboard: 3,
} as const;

import * as webhooks from './webhooks.ts';

/** Of the longest months, so that none costs more. */
export const daysPerMonth = 31;
export const secondsPerMonth = daysPerMonth * 24 * 3600;

/** X-Ray records each second's first request, and this share of others (X-Ray developer guide, "Configure sampling rules"). */
export const sampledShare = 0.05;

/** List prices in US dollars, for us-east-1, without free tiers. Compare them with the pricing pages of aws.amazon.com. */
export const prices = {
  date: '2026-11-20',
  /** REST API, the first 333 million a month. */
  gatewayRequest: 3.5 / 1e6,
  /** A month, with its rule. */
  webAcl: 5 + 1,
  /** Also for a request that AWS WAF blocks. */
  webAclRequest: 0.6 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** On arm64. */
  lambdaGigabyteSecond: 0.000_013_333_4,
  writeRequestUnit: 0.625 / 1e6,
  readRequestUnit: 0.125 / 1e6,
  /**
   * A custom event of up to 64 KB. Matching rules is free, as are Lambda's stream reads (DynamoDB's page, "DynamoDB Streams").
   * Dead-lettering a record ($0.40 per million) costs less than publishing its events, so it has no line in the bill.
   */
  eventPut: 1 / 1e6,
  logGigabyte: 0.5,
  traceRecorded: 5 / 1e6,
  transferGigabyte: 0.09,
  /** A machine client's access token (Cognito), at most: many cost less (aws.amazon.com/cognito/pricing, tiers). */
  token: 0.002_25,
  /** Tokens a second, in an account and region (Cognito developer guide, "Quotas", ClientAuthentication). It can be raised. */
  tokenQuota: 150,
  ...webhooks.prices,
  tableGigabyteMonth: 0.25,
  backupGigabyteMonth: 0.2,
  logGigabyteMonth: 0.03,
  /** A month, at standard resolution, for each metric that an alarm reads. Ten per account are free. */
  alarmMetric: 0.1,
  /** A month, for each of the first 10,000 custom metrics, prorated by the hour. Ten per account are free. */
  customMetric: 0.3,
  /** A month. Three per account are free, with at most 50 metrics each. */
  dashboard: 3,
} as const;

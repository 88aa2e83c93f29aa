export const secondsPerMonth = 30 * 24 * 3600;

/** List prices in US dollars, region us-east-1, without free tiers, as written down on this date. They change: compare with the source. */
export const prices = {
  date: '2026-11-20',
  source:
    'the pricing pages of aws.amazon.com for API Gateway, Lambda, DynamoDB, EventBridge, SQS, Secrets Manager, Cognito, CloudWatch, X-Ray and EC2 data transfer',
  /** REST API, the first 333 million a month. */
  gatewayRequest: 3.5 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** arm64. */
  lambdaGigabyteSecond: 0.000_013_333_4,
  writeRequestUnit: 0.625 / 1e6,
  readRequestUnit: 0.125 / 1e6,
  /**
   * A custom event of at most 64 KB, when it is put; that rules match it costs nothing. A record that is kept in the queue
   * ($0.40 a million) costs less than telling it. What Lambda reads of a stream for a function is free (DynamoDB's page, "DynamoDB
   * Streams").
   */
  eventPut: 1 / 1e6,
  logGigabyte: 0.5,
  traceRecorded: 5 / 1e6,
  transferGigabyte: 0.09,
  /** Machine-to-machine. */
  token: 0.002_25,
  /** EventBridge, API destinations; of 64 KB. Whether a try that fails is one, the page does not say: here it is. */
  webhookRequest: 0.2 / 1e6,
  /** SQS, standard queue. */
  queueRequest: 0.4 / 1e6,
  /**
   * Secrets Manager. Each webhook has one that you keep; the copy that its connection makes "is included with the charge for
   * using an API destination" (EventBridge user guide, "Connections for API targets").
   */
  secretMonth: 0.4,
  tableGigabyteMonth: 0.25,
  backupGigabyteMonth: 0.2,
  /** Of what a restore writes. */
  restoredGigabyte: 0.15,
  logGigabyteMonth: 0.03,
  /** A month, standard resolution; ten of an account are free. An alarm that computes costs as much for each metric that it reads. */
  alarmMetric: 0.1,
  /** A month, of the first 10 000; for the hours in which it is measured. Ten of an account are free. */
  customMetric: 0.3,
  /** A month; three of an account are free, as long as they show at most 50 metrics each. */
  dashboard: 3,
} as const;

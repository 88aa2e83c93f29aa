const optional = (name: string): string | undefined => process.env[name] || undefined;

/** @throws when the variable is not set */
const required = (name: string): string => {
  const value = optional(name);
  if (!value) {
    throw new Error(`The environment variable ${name} is not set. The stack sets it: cdk/stack/.`);
  }
  return value;
};

/** An object whose properties are read when they are used. */
const lazily = <R extends Record<string, () => unknown>>(readers: R) => {
  const properties = Object.entries(readers).map(([name, get]) => [name, { get }]);
  return Object.defineProperties({} as { readonly [N in keyof R]: ReturnType<R[N]> }, Object.fromEntries(properties));
};

/**
 * The configuration of a function, from environment variables. The stack (cdk/stack/) sets some; the others have defaults.
 * A function needs only the variables of its own modules. Most modules read them when they are loaded, so set a variable
 * before the first import.
 */
export const environment = lazily({
  tableName: () => required('TABLE_NAME'),
  dynamoDbEndpoint: () => required('DYNAMODB_ENDPOINT'),
  /** The partition key of a call that only warms up (lib/model/table/warm-up.ts). Absent: none. */
  warmUpKey: () => optional('WARM_UP'),
  /** The timeout of that call in milliseconds. Only tests set this and the next three. */
  warmUpTimeout: () => Number(optional('WARM_UP_TIMEOUT_MS') ?? 300),
  /** The timeout of one call to DynamoDB in milliseconds. */
  attemptTimeout: () => Number(optional('ATTEMPT_TIMEOUT_MS') ?? 1000),
  /** How long a request retries calls to DynamoDB, all of them together, in milliseconds. */
  retryBudget: () => Number(optional('RETRY_BUDGET_MS') ?? 3000),
  /** Milliseconds before Lambda's timeout at which the work on a request ends. */
  gracePeriod: () => Number(optional('GRACE_PERIOD_MS') ?? 500),
  indexShards: () => Number(optional('INDEX_SHARDS') ?? 1),
  /** The hash of the running asset, by which `npm run symbolicate` finds its source map. */
  build: () => optional('BUILD'),
  /** The dates of a deprecated operation as YYYY-MM-DD in UTC: the start of the first, the end of the second. */
  deprecatedOn: () => required('DEPRECATED_ON'),
  sunsetOn: () => required('SUNSET_ON'),
  enforceSunset: () => optional('ENFORCE_SUNSET') === 'true',
  /** The token endpoint of the stage: a URL, or a path of the local server. */
  tokenUrl: () => optional('TOKEN_URL'),
  /** Access tokens that were issued before this instant are rejected. */
  tokensValidFrom: () => optional('TOKENS_VALID_FROM'),
  /** The base URL that callers use, if it is not the gateway's own. */
  publicUrl: () => optional('PUBLIC_URL'),
  /** The source of events: the service and this stage. */
  eventSource: () => required('EVENT_SOURCE'),
  eventsGeneration: () => Number(required('EVENTS_GENERATION')),
  /** The name of the stage's bus. */
  eventBus: () => required('EVENT_BUS'),
  eventsEndpoint: () => required('EVENTS_ENDPOINT'),
  /** The queue of records whose events could not be published, or of events that a webhook did not accept. */
  deadLetterQueueUrl: () => required('DEAD_LETTER_QUEUE_URL'),
  secretsEndpoint: () => required('SECRETS_ENDPOINT'),
  /** JSON: the name of a queue → its webhook (lib/webhooks/deliver.ts). */
  webhooks: () => required('WEBHOOKS'),
});

const optional = (name: string): string | undefined => process.env[name] || undefined;

/** @throws when the variable is not set */
const required = (name: string): string => {
  const value = optional(name);
  if (!value) {
    throw new Error(`The environment variable ${name} is not set. The stack sets it: cdk/stack/.`);
  }
  return value;
};

/** An object whose properties are read only when they are used. */
const lazily = <R extends Record<string, () => unknown>>(readers: R) => {
  const properties = Object.entries(readers).map(([name, get]) => [name, { get }]);
  return Object.defineProperties({} as { readonly [N in keyof R]: ReturnType<R[N]> }, Object.fromEntries(properties));
};

/**
 * The configuration of a function, from environment variables. The stack (cdk/stack/) sets some variables; the others have
 * defaults or may be absent. A function needs only the variables of the modules that it loads. Most modules read their variables
 * when they are loaded, so set a variable before the first import.
 */
export const environment = lazily({
  tableName: () => required('TABLE_NAME'),
  dynamoDbEndpoint: () => required('DYNAMODB_ENDPOINT'),
  /** The partition key in the warm-up call (lib/model/table/warm-up.ts). Absent: the function does not make this call. */
  warmUpKey: () => optional('WARM_UP'),
  /** The timeout of the call that warms up, in milliseconds. Only tests set this variable and the next three. */
  warmUpTimeout: () => Number(optional('WARM_UP_TIMEOUT_MS') ?? 300),
  /** The timeout of one call to DynamoDB in milliseconds. */
  attemptTimeout: () => Number(optional('ATTEMPT_TIMEOUT_MS') ?? 1000),
  /** Milliseconds for which a request retries calls to DynamoDB. All its calls share this time. */
  retryBudget: () => Number(optional('RETRY_BUDGET_MS') ?? 3000),
  /** Milliseconds before Lambda's timeout at which the work on a request ends. */
  gracePeriod: () => Number(optional('GRACE_PERIOD_MS') ?? 500),
  indexShards: () => Number(optional('INDEX_SHARDS') ?? 1),
  /** The hash of the running asset, by which `npm run symbolicate` finds its source map. */
  build: () => optional('BUILD'),
  /** Days (YYYY-MM-DD, UTC): an operation is deprecated from the start of `deprecatedOn`, until the end of `sunsetOn`. */
  deprecatedOn: () => required('DEPRECATED_ON'),
  sunsetOn: () => required('SUNSET_ON'),
  enforceSunset: () => optional('ENFORCE_SUNSET') === 'true',
  /** The token endpoint of the stage: a URL, or on the local server a path. */
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
  /** The queue for records whose events could not be published, or for events that a webhook did not accept. */
  deadLetterQueueUrl: () => required('DEAD_LETTER_QUEUE_URL'),
  secretsEndpoint: () => required('SECRETS_ENDPOINT'),
  /** JSON that has the webhook of each queue, by the name of the queue (lib/webhooks/deliver.ts). */
  webhooks: () => required('WEBHOOKS'),
});

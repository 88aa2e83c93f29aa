const optional = (name: string): string | undefined => process.env[name] || undefined;

/** @throws when the variable is not set */
const required = (name: string): string => {
  const value = optional(name);
  if (!value) {
    throw new Error(`The environment variable ${name} is not set. The stack sets it: cdk/stack/.`);
  }
  return value;
};

/**
 * The configuration of a function, from environment variables that the stack (cdk/stack/) sets or leaves to their defaults. A
 * function needs only the variables of its own modules, most of which read them when they are loaded: set a variable before
 * the first import.
 */
export const environment = {
  get tableName() {
    return required('TABLE_NAME');
  },
  get dynamoDbEndpoint() {
    return required('DYNAMODB_ENDPOINT');
  },
  /** The timeout of one call to DynamoDB in milliseconds. Only tests set this and the next two. */
  get attemptTimeout() {
    return Number(optional('ATTEMPT_TIMEOUT_MS') ?? 1000);
  },
  /** How long a request retries calls to DynamoDB, all of them together, in milliseconds. */
  get retryBudget() {
    return Number(optional('RETRY_BUDGET_MS') ?? 3000);
  },
  /** Milliseconds before Lambda's timeout at which the work on a request ends. */
  get gracePeriod() {
    return Number(optional('GRACE_PERIOD_MS') ?? 500);
  },
  get indexShards() {
    return Number(optional('INDEX_SHARDS') ?? 1);
  },
  /** The hash of the running asset, by which `npm run symbolicate` finds its source map. */
  get build() {
    return optional('BUILD');
  },
  /** The dates of a deprecated operation as YYYY-MM-DD in UTC: the start of the first, the end of the second. */
  get deprecatedOn() {
    return required('DEPRECATED_ON');
  },
  get sunsetOn() {
    return required('SUNSET_ON');
  },
  get enforceSunset() {
    return optional('ENFORCE_SUNSET') === 'true';
  },
  /** The token endpoint of the stage: a URL, or a path of the local server. */
  get tokenUrl() {
    return optional('TOKEN_URL');
  },
  /** Access tokens that were issued before this instant are rejected. */
  get tokensValidFrom() {
    return optional('TOKENS_VALID_FROM');
  },
  /** The base URL that callers use, if it is not the gateway's own. */
  get publicUrl() {
    return optional('PUBLIC_URL');
  },
  /** The source of events: the service and this stage. */
  get eventSource() {
    return required('EVENT_SOURCE');
  },
  get eventsGeneration() {
    return Number(required('EVENTS_GENERATION'));
  },
  /** The name of the stage's bus. */
  get eventBus() {
    return required('EVENT_BUS');
  },
  get eventsEndpoint() {
    return required('EVENTS_ENDPOINT');
  },
  /** The queue of records whose events could not be published, or of events that a webhook did not accept. */
  get deadLetterQueueUrl() {
    return required('DEAD_LETTER_QUEUE_URL');
  },
  get secretsEndpoint() {
    return required('SECRETS_ENDPOINT');
  },
  /** JSON: the name of a queue → its webhook (lib/webhooks/deliver.ts). */
  get webhooks() {
    return required('WEBHOOKS');
  },
};

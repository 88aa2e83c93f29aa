const optional = (name: string): string | undefined => process.env[name] || undefined;

/** @throws when the variable is not set */
export const required = (name: string): string => {
  const value = optional(name);
  if (!value) {
    throw new Error(`The environment variable ${name} is not set. The stack sets it: cdk/stack/.`);
  }
  return value;
};

/** Reads a property only when it is used. */
const lazily = <R extends Record<string, () => unknown>>(readers: R) => {
  const properties = Object.entries(readers).map(([name, get]) => [name, { get }]);
  return Object.defineProperties(
    {} as { readonly [N in keyof R]: ReturnType<R[N]> },
    Object.fromEntries(properties),
  );
};

/**
 * The stack (cdk/stack/) sets some variables; the others have defaults or may be absent. A function needs only the variables of
 * the modules that it loads. Most modules read them when they are loaded, so set a variable before the first import.
 */
export const environment = lazily({
  tableName: () => required('TABLE_NAME'),
  dynamoDbEndpoint: () => required('DYNAMODB_ENDPOINT'),
  /** The partition key of the warm-up call (lib/model/table/warm-up.ts). Absent: there is no such call. */
  warmUpKey: () => optional('WARM_UP'),
  /** Milliseconds, like the next three. Only tests set these four. */
  warmUpTimeout: () => Number(optional('WARM_UP_TIMEOUT_MS') ?? 300),
  /** Of one call to DynamoDB. */
  attemptTimeout: () => Number(optional('ATTEMPT_TIMEOUT_MS') ?? 1000),
  /** All calls of a request to DynamoDB share this time for retries. */
  retryBudget: () => Number(optional('RETRY_BUDGET_MS') ?? 3000),
  /** The work on a request ends this long before Lambda's timeout. */
  gracePeriod: () => Number(optional('GRACE_PERIOD_MS') ?? 500),
  indexShards: () => Number(optional('INDEX_SHARDS') ?? 1),
  /** The asset's hash, by which `npm run symbolicate` finds its source map. */
  build: () => optional('BUILD'),
  /** YYYY-MM-DD in UTC: an operation is deprecated from the start of `deprecatedOn` to the end of `sunsetOn`. */
  deprecatedOn: () => required('DEPRECATED_ON'),
  sunsetOn: () => required('SUNSET_ON'),
  enforceSunset: () => optional('ENFORCE_SUNSET') === 'true',
  /** A URL, or on the local server a path. */
  tokenUrl: () => optional('TOKEN_URL'),
  /** Access tokens issued before this instant are rejected. */
  tokensValidFrom: () => optional('TOKENS_VALID_FROM'),
  /** The base URL that callers use, if it is not the gateway's own. */
  publicUrl: () => optional('PUBLIC_URL'),
  /** The service and this stage. */
  eventSource: () => required('EVENT_SOURCE'),
  eventsGeneration: () => Number(required('EVENTS_GENERATION')),
  eventBus: () => required('EVENT_BUS'),
  eventsEndpoint: () => required('EVENTS_ENDPOINT'),
  /** For records whose events could not be published, or for events that a webhook did not accept. */
  deadLetterQueueUrl: () => required('DEAD_LETTER_QUEUE_URL'),
});

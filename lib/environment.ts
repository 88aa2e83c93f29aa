/** The environment variables that the stack sets (cdk/stack/), or leaves to their defaults; no others are read. */
export type Variable =
  | 'TABLE_NAME'
  | 'DYNAMODB_ENDPOINT'
  | 'INDEX_SHARDS'
  | 'BUILD'
  | 'DEPRECATED_ON'
  | 'SUNSET_ON'
  | 'ENFORCE_SUNSET'
  | 'TOKEN_URL'
  | 'PUBLIC_URL'
  | 'EVENT_SOURCE'
  | 'EVENTS_GENERATION'
  | 'EVENT_BUS'
  | 'EVENTS_ENDPOINT'
  | 'DEAD_LETTER_QUEUE_URL'
  | 'ATTEMPT_TIMEOUT_MS'
  | 'RETRY_BUDGET_MS'
  | 'GRACE_PERIOD_MS';

const optional = (name: Variable): string | undefined => process.env[name] || undefined;

/** @throws when it is not there, by its name */
const required = (name: Variable): string => {
  const value = optional(name);
  if (!value) {
    throw new Error(`The environment variable ${name} is not set. The stack sets it: cdk/stack/.`);
  }
  return value;
};

/** What a deployment tells its functions. Each is read when it is asked for, so a function needs only what it uses. */
export const environment = {
  get tableName() {
    return required('TABLE_NAME');
  },
  get dynamoDbEndpoint() {
    return required('DYNAMODB_ENDPOINT');
  },
  /** How long one attempt of a call to DynamoDB may take, in milliseconds. Tests set this and the next two, no stack does. */
  get attemptTimeout() {
    return Number(optional('ATTEMPT_TIMEOUT_MS') ?? 1000);
  },
  /** For how long a request retries what was refused or went unanswered, all of its calls together, in milliseconds. */
  get retryBudget() {
    return Number(optional('RETRY_BUDGET_MS') ?? 3000);
  },
  /** So long before Lambda cuts the function off, in milliseconds, the work on a request ends, whatever has come of it. */
  get gracePeriod() {
    return Number(optional('GRACE_PERIOD_MS') ?? 500);
  },
  get indexShards() {
    return Number(optional('INDEX_SHARDS') ?? 1);
  },
  /** The asset that runs, by whose hash its source map is found. */
  get build() {
    return optional('BUILD');
  },
  /** Since when and until when an operation is deprecated, as YYYY-MM-DD in UTC: the start of the one, the end of the other. */
  get deprecatedOn() {
    return required('DEPRECATED_ON');
  },
  get sunsetOn() {
    return required('SUNSET_ON');
  },
  get enforceSunset() {
    return optional('ENFORCE_SUNSET') === 'true';
  },
  /** Where this stage's tokens come from: an address, or (on one machine) a path of this very server. */
  get tokenUrl() {
    return optional('TOKEN_URL');
  },
  /** The address that callers use, where it is not the gateway's own. */
  get publicUrl() {
    return optional('PUBLIC_URL');
  },
  /** Who tells events: the service and this stage. */
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
  /** The queue of records whose events could not be published. */
  get deadLetterQueueUrl() {
    return required('DEAD_LETTER_QUEUE_URL');
  },
};

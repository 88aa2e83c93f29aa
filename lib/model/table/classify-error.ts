/** Errors of contention and throttling. After them, nothing was written. */
const retryableErrors = new Set([
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'UnprocessedKeys',
]);

/** The same errors, as cancellation reasons of a transaction. */
const retryableReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** DynamoDB left out keys of a batch (throttling, or a response above 16 MB). The call is retried like a throttled call. */
export class UnprocessedKeys extends Error {
  override readonly name = 'UnprocessedKeys';

  constructor(count: number) {
    super(`DynamoDB left out ${count} keys of a batch.`);
  }
}

/** The properties of an error that determine its class. */
export interface CallError {
  readonly name?: string;
  /** The code of a system error: ECONNRESET, EPIPE, … */
  readonly code?: string;
  readonly $fault?: 'client' | 'server';
  readonly $response?: unknown;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** Codes of a broken connection. Another `ERR_…` code is fatal: for example, this project misuses a function of Node. */
const brokenConnection = /^(?!ERR_)|^ERR_(SSL|SOCKET|STREAM_PREMATURE_CLOSE)/;

/** Whether there was no response, or an unreadable one. DynamoDB may have carried out the call. */
const hasNoResponse = ({ name, code, $response, $fault }: CallError): boolean =>
  name === 'AbortError' ||
  name === 'TimeoutError' ||
  (typeof code === 'string' && brokenConnection.test(code)) ||
  ($fault === undefined && $response !== undefined);

/** An earlier attempt of the same transaction is still in progress. */
export const isInProgress = ({ name }: CallError): boolean => name === 'TransactionInProgressException';

/** `retryable`: nothing was written. `ambiguous`: the write may have happened. `fatal`: a retry cannot succeed. */
export const classifyError = (error: CallError): 'retryable' | 'ambiguous' | 'fatal' => {
  if (retryableErrors.has(error.name ?? '')) return 'retryable';
  if (error.CancellationReasons?.some(({ Code }) => retryableReasons.has(Code ?? ''))) return 'retryable';
  if (isInProgress(error) || error.$fault === 'server') return 'ambiguous';
  // The errors that remain are rejected conditions and defects.
  return hasNoResponse(error) ? 'ambiguous' : 'fatal';
};

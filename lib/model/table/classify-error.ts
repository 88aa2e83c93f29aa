/** Refusals after which nothing was written: contention and throttling. */
const refusals = new Set([
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'UnprocessedKeys',
]);

/** The same, as reasons of a cancelled transaction. */
const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** A batch of which DynamoDB left keys out, because it throttles or a response would pass 16 MB: asked for again like any throttled call. */
export class UnprocessedKeys extends Error {
  override readonly name = 'UnprocessedKeys';

  constructor(count: number) {
    super(`${count} keys of a batch were left out`);
  }
}

/** What a call to DynamoDB throws, as far as it decides what comes next. */
export interface Failure {
  readonly name?: string;
  /** Of a system error: ECONNRESET, EPIPE, … */
  readonly code?: string;
  readonly $fault?: 'client' | 'server';
  readonly $response?: unknown;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** Codes of a connection that broke. Node's other `ERR_…` say that its functions were misused: a defect of ours. */
const brokenConnection = /^(?!ERR_)|^ERR_(SSL|SOCKET|STREAM_PREMATURE_CLOSE)/;

/** No answer came, or none that can be read: the call may have been carried out. */
const wentUnanswered = ({ name, code, $response, $fault }: Failure): boolean =>
  name === 'AbortError' ||
  name === 'TimeoutError' ||
  (typeof code === 'string' && brokenConnection.test(code)) ||
  ($fault === undefined && $response !== undefined);

/** An earlier try of the same transaction is still being carried out. */
export const isInProgress = ({ name }: Failure): boolean => name === 'TransactionInProgressException';

/** `refused`: nothing was written and another try may succeed. `unknown`: it may have been written. `final`: no use in trying again. */
export const judge = (error: Failure): 'refused' | 'unknown' | 'final' => {
  if (refusals.has(error.name ?? '')) return 'refused';
  if (error.CancellationReasons?.some(({ Code }) => passingReasons.has(Code ?? ''))) return 'refused';
  if (isInProgress(error) || error.$fault === 'server') return 'unknown';
  // What is left is a rejected condition or a defect of ours.
  return wentUnanswered(error) ? 'unknown' : 'final';
};

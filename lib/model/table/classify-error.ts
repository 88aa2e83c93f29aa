import { hasNoResponse } from '../../aws/connection.ts';

/** After contention or throttling, nothing was written. */
const retryableErrors = new Set([
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'UnprocessedKeys',
]);

/** The same, as cancellation reasons of a transaction. */
const retryableReasons = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** The cause is throttling, or a response above 16 MB. Retried like a throttled call. */
export class UnprocessedKeys extends Error {
  override readonly name = 'UnprocessedKeys';

  constructor(count: number) {
    super(`DynamoDB left out ${count} keys of a batch.`);
  }
}

export interface CallError {
  readonly name?: string;
  /** Of a system error: ECONNRESET, EPIPE, … */
  readonly code?: string;
  /** Nothing was sent, because the connection was never ready (lib/aws/request-handler.ts). */
  readonly neverConnected?: boolean;
  readonly $fault?: 'client' | 'server';
  readonly $response?: unknown;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** An earlier attempt of the same transaction is still in progress. */
export const isInProgress = ({ name }: CallError): boolean =>
  name === 'TransactionInProgressException';

/** `retryable`: nothing was written. `ambiguous`: the write may have happened. `fatal`: a retry cannot succeed. */
export const classifyError = (error: CallError): 'retryable' | 'ambiguous' | 'fatal' => {
  if (error.neverConnected || retryableErrors.has(error.name ?? '')) return 'retryable';
  if (error.CancellationReasons?.some(({ Code }) => retryableReasons.has(Code ?? '')))
    return 'retryable';
  if (isInProgress(error) || error.$fault === 'server') return 'ambiguous';
  const isUnreadable = error.$fault === undefined && error.$response !== undefined;
  // The errors that remain are rejected conditions and defects.
  return hasNoResponse(error) || isUnreadable ? 'ambiguous' : 'fatal';
};

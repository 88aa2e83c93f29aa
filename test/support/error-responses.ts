/** An error response of DynamoDB. */
export interface ErrorResponse {
  readonly status: 400 | 500;
  readonly body: object;
}

const errorResponse = (type: string, extra: object = {}, status: ErrorResponse['status'] = 400): ErrorResponse => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...extra },
});

/** What an error depends on. */
interface Call {
  readonly operation: string;
  readonly body: { readonly TransactItems?: readonly unknown[] };
}

/** A transaction that is canceled because of its first write. */
const canceled = ({ body: { TransactItems } }: Call, reason: object): ErrorResponse => {
  const others = TransactItems!.slice(1).map(() => ({ Code: 'None' }));
  return errorResponse('TransactionCanceledException', { CancellationReasons: [reason, ...others] });
};

const throttled = { reason: 'TableReadMaxOnDemandThroughputExceeded', resource: 'arn:aws:dynamodb:::table/pets' };

export const accessDenied = errorResponse('AccessDeniedException');

/** Error responses by the name of the injected fault. */
export const errorResponses = {
  conflict: (call: Call) =>
    call.operation === 'TransactWriteItems'
      ? canceled(call, { Code: 'TransactionConflict' })
      : errorResponse('ThrottlingException'),
  throttle: () => errorResponse('ProvisionedThroughputExceededException', { ThrottlingReasons: [throttled] }),
  error: () => errorResponse('InternalServerError', {}, 500),
  inProgress: () => errorResponse('TransactionInProgressException'),
  mismatch: () => errorResponse('IdempotentParameterMismatchException'),
  denied: () => accessDenied,
  noTable: () => errorResponse('ResourceNotFoundException'),
};

/** ConditionalCheckFailed of the first write, with the current item. */
export const conditionFailed = (call: Call, item: object | undefined): ErrorResponse =>
  canceled(call, { Code: 'ConditionalCheckFailed', ...(item && { Item: item }) });

import type { Call } from './dynamodb-proxy.ts';

/** An error response of DynamoDB. */
export interface ErrorResponse {
  readonly status: 400 | 500;
  readonly body: object;
}

const errorResponse = (type: string, extra: object = {}, status: ErrorResponse['status'] = 400): ErrorResponse => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...extra },
});

/** A transaction that is canceled because of its first write. */
const canceled = ({ body }: Call, reason: object): ErrorResponse =>
  errorResponse('TransactionCanceledException', {
    CancellationReasons: body.TransactItems.map((_: unknown, index: number) =>
      index === 0 ? reason : { Code: 'None' },
    ),
  });

const isTransaction = ({ operation }: Call) => operation === 'TransactWriteItems';

export const accessDenied = errorResponse('AccessDeniedException');

/** Error responses by the name of the injected fault. */
export const errorResponses = {
  conflict: (call: Call) =>
    isTransaction(call) ? canceled(call, { Code: 'TransactionConflict' }) : errorResponse('ThrottlingException'),
  throttle: () =>
    errorResponse('ProvisionedThroughputExceededException', {
      ThrottlingReasons: [
        { reason: 'TableReadMaxOnDemandThroughputExceeded', resource: 'arn:aws:dynamodb:::table/pets' },
      ],
    }),
  error: () => errorResponse('InternalServerError', {}, 500),
  inProgress: () => errorResponse('TransactionInProgressException'),
  mismatch: () => errorResponse('IdempotentParameterMismatchException'),
  denied: () => accessDenied,
  noTable: () => errorResponse('ResourceNotFoundException'),
};

/** ConditionalCheckFailed of the first write, with the current item. */
export const conditionFailed = (call: Call, item: object | undefined): ErrorResponse =>
  canceled(call, { Code: 'ConditionalCheckFailed', ...(item && { Item: item }) });

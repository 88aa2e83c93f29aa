import type { Call } from './dynamodb-proxy.ts';

/** What DynamoDB answers instead of doing what it was asked. */
export interface Refusal {
  readonly status: 400 | 500;
  readonly body: object;
}

const refusal = (type: string, extra: object = {}, status: Refusal['status'] = 400): Refusal => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...extra },
});

/** A transaction cancelled because of its first write. */
const cancelled = ({ body }: Call, reason: object): Refusal =>
  refusal('TransactionCanceledException', {
    CancellationReasons: body.TransactItems.map((_: unknown, index: number) =>
      index === 0 ? reason : { Code: 'None' },
    ),
  });

const isTransaction = ({ operation }: Call) => operation === 'TransactWriteItems';

/** Refusals by the name of the fault. */
export const refusals = {
  conflict: (call: Call) =>
    isTransaction(call) ? cancelled(call, { Code: 'TransactionConflict' }) : refusal('ThrottlingException'),
  throttle: () =>
    refusal('ProvisionedThroughputExceededException', {
      ThrottlingReasons: [
        { reason: 'TableReadMaxOnDemandThroughputExceeded', resource: 'arn:aws:dynamodb:::table/pets' },
      ],
    }),
  error: () => refusal('InternalServerError', {}, 500),
  inProgress: () => refusal('TransactionInProgressException'),
  mismatch: () => refusal('IdempotentParameterMismatchException'),
};

export const accessDenied = refusal('AccessDeniedException');

/** The refusal of the first write's condition, showing the item as it is. */
export const conditionFailed = (call: Call, item: object | undefined): Refusal =>
  cancelled(call, { Code: 'ConditionalCheckFailed', ...(item && { Item: item }) });

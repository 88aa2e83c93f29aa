import {
  type CancellationReason,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

// What the SDK throws when DynamoDB refuses, in the SDK's own classes.

const $metadata = {};

const refusal = (name: string, message: string) =>
  new DynamoDBServiceException({ name, $fault: 'client', message, $metadata });

/** The request itself is wrong: a defect of ours. */
export const invalid = (message: string) => refusal('ValidationException', message);

export const throttled = () => refusal('ThrottlingException', 'Rate exceeded');

export const mismatched = () =>
  new IdempotentParameterMismatchException({ message: 'The token was used with another request', $metadata });

export const cancelled = (reasons: CancellationReason[]) => {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: reasons,
    $metadata,
  });
};

export const conflicting = (writes: number) =>
  cancelled(Array.from({ length: writes }, (_, index) => ({ Code: index === 0 ? 'TransactionConflict' : 'None' })));

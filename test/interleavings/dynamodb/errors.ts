import {
  type CancellationReason,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

// The errors that the SDK throws when DynamoDB rejects a request, in the SDK's own classes.

const $metadata = {};

const serviceError = (name: string, message: string) =>
  new DynamoDBServiceException({ name, $fault: 'client', message, $metadata });

/** The request is invalid: a defect of the model. */
export const invalid = (message: string) => serviceError('ValidationException', message);

export const throttled = () => serviceError('ThrottlingException', 'Rate exceeded');

export const tokenMismatch = () =>
  new IdempotentParameterMismatchException({ message: 'The token was used with another request', $metadata });

export const canceled = (reasons: CancellationReason[]) => {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: reasons,
    $metadata,
  });
};

export const transactionConflict = (writes: number) =>
  canceled(Array.from({ length: writes }, (_, index) => ({ Code: index === 0 ? 'TransactionConflict' : 'None' })));

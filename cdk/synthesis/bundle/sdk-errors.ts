/** The errors of the DynamoDB calls that functions make (API reference, "Errors"). */
const neededErrors = new Set([
  'ConditionalCheckFailedException',
  'IdempotentParameterMismatchException',
  'InternalServerError',
  'InvalidEndpointException',
  'ItemCollectionSizeLimitExceededException',
  'ProvisionedThroughputExceededException',
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'ResourceNotFoundException',
  'ThrottlingException',
  'TransactionCanceledException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

const registered = /export var (\w+)\$ = \[-3,[\s\S]*?\];\nn0_registry\.registerError\(\1\$, \1\);\n/g;

/**
 * Removes the registration of the SDK's error classes of calls that no function makes, such as backups, so that esbuild removes
 * the classes. They are two thirds of all error classes. Without its class, an error has the base class, but still its name
 * (test/synthesis/wire.test.ts).
 */
export const trimErrors = (source: string): string => {
  const missing = new Set(neededErrors);
  const trimmed = source.replace(registered, (text, name) => {
    missing.delete(name);
    return neededErrors.has(name) ? text : '';
  });
  if (missing.size === 0) return trimmed;
  throw new Error(
    `The SDK registers ${[...missing].join(', ')} differently now. Update cdk/synthesis/bundle/sdk-errors.ts.`,
  );
};

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
 * Removes the registration of SDK error classes that no function needs, such as those of backups, so that esbuild removes the
 * classes: two thirds of all error classes. An error without its class has the base class, but keeps its name
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

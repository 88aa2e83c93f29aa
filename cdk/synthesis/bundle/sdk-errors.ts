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

const declared = /export class (\w+) extends __BaseException \{[\s\S]*?\n\}\n/g;
const registered = /export var (\w+)\$ = \[-3,[\s\S]*?\];\nn0_registry\.registerError\(\1\$, \1\);\n/g;

const keepNeededErrors = (source: string, pattern: RegExp): string => {
  const missing = new Set(neededErrors);
  const trimmed = source.replace(pattern, (text, name) => {
    missing.delete(name);
    return neededErrors.has(name) ? text : '';
  });
  if (missing.size === 0) return trimmed;
  throw new Error(
    `The SDK declares ${[...missing].join(', ')} differently now. Update cdk/synthesis/bundle/sdk-errors.ts.`,
  );
};

/**
 * Removes the SDK's error classes of backups, exports, imports and tables, which are two thirds of them. Without its class,
 * an error has the base class and still its name (test/synthesis/wire.test.ts).
 */
export const trimErrorClasses = (source: string): string => keepNeededErrors(source, declared);

export const trimErrorRegistration = (source: string): string =>
  keepNeededErrors(source, registered).replace(
    /import \{([^}]*)\} from "\.\.\/models\/errors";/,
    (_, names: string) =>
      `import {${names
        .split(',')
        .filter(name => neededErrors.has(name.trim()))
        .join(',')}} from "../models/errors";`,
  );

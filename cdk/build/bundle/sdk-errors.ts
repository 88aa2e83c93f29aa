/** What DynamoDB can answer to a call for items or a transaction (API reference, "Errors" of the calls that functions make). */
const errorsOfItems = new Set([
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

const keepErrorsOfItems = (source: string, pattern: RegExp): string => {
  const missing = new Set(errorsOfItems);
  const kept = source.replace(pattern, (text, name) => {
    missing.delete(name);
    return errorsOfItems.has(name) ? text : '';
  });
  if (missing.size === 0) return kept;
  throw new Error(
    `The SDK no longer has ${[...missing].join(', ')} as they were. Mend cdk/build/bundle/sdk-errors.ts.`,
  );
};

/**
 * The SDK's classes of errors and their registration, without those of backups, exports, imports and tables, which are two
 * in three. One of them would still arrive, with its name, as the class that they all extend (test/build/wire.test.ts).
 */
export const declaredErrors = (source: string): string => keepErrorsOfItems(source, declared);

export const registeredErrors = (source: string): string =>
  keepErrorsOfItems(source, registered).replace(
    /import \{([^}]*)\} from "\.\.\/models\/errors";/,
    (_, names: string) =>
      `import {${names
        .split(',')
        .filter(name => errorsOfItems.has(name.trim()))
        .join(',')}} from "../models/errors";`,
  );

import { type OperationId, operationIds } from '../../../lib/operations/index.ts';

/** A file of functions/: an operation's, or the one that tells what the operations did. */
export type FunctionName = OperationId | 'publishEvents';

export const functionNames: readonly FunctionName[] = [...operationIds, 'publishEvents'];

import { type OperationId, operationIds } from '../../../lib/operations/index.ts';

/** A file of functions/: an operation, or the publisher of events. */
export type FunctionName = OperationId | 'publishEvents';

export const functionNames: readonly FunctionName[] = [...operationIds, 'publishEvents'];

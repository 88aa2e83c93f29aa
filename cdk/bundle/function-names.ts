import { type OperationId, operationIds } from '../../lib/operations/index.ts';

/** A file of functions/. */
export type FunctionName = OperationId | 'publishEvents' | 'deliverWebhooks';

export const functionNames: readonly FunctionName[] = [
  ...operationIds,
  'publishEvents',
  'deliverWebhooks',
];

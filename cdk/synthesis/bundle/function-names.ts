import { type OperationId, operationIds } from '../../../lib/operations/index.ts';

/** A file of functions/: an operation, the publisher of events, or the sender of webhooks. */
export type FunctionName = OperationId | 'publishEvents' | 'deliverWebhooks';

export const functionNames: readonly FunctionName[] = [...operationIds, 'publishEvents', 'deliverWebhooks'];

import middy from '@middy/core';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { withinRequest } from '../request-context.ts';
import { logBatch } from './log-batch.ts';
import type { BatchResult } from './publish-changes.ts';

// Zod's compiled parsers are faster only after many calls.
z.config({ jitless: true });

/** Milliseconds before Lambda's timeout at which the work ends, so that the records that remain can be reported. */
const timeToReport = 1_000;

/** Lambda retries from the first failed record on, so only that one is reported. */
const failuresOf = ({ failed }: BatchResult): DynamoDBBatchResponse => ({
  batchItemFailures: failed ? [{ itemIdentifier: failed.record.dynamodb?.SequenceNumber ?? '' }] : [],
});

/** Wraps the handler of a batch of stream records in the middleware chain, which logs the result, and reports failures. */
export const handleStream = (publish: (records: readonly DynamoDBRecord[]) => Promise<BatchResult>) => {
  const chain = middy<DynamoDBStreamEvent, BatchResult>()
    .use(logBatch)
    .handler(({ Records }) => publish(Records));
  return async (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> =>
    failuresOf(await withinRequest(context.getRemainingTimeInMillis() - timeToReport, () => chain(event, context)));
};

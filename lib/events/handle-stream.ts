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
const reportBatchItemFailures: middy.MiddlewareObj<DynamoDBStreamEvent, BatchResult | DynamoDBBatchResponse> = {
  after: request => {
    const { failed } = request.response as BatchResult;
    const itemIdentifier = failed?.record.dynamodb?.SequenceNumber ?? '';
    request.response = { batchItemFailures: failed ? [{ itemIdentifier }] : [] };
  },
};

/** Wraps the handler of a batch of stream records in the middleware chain, which logs the result and then reports failures. */
export const handleStream = (publish: (records: readonly DynamoDBRecord[]) => Promise<BatchResult>) => {
  const chain = middy<DynamoDBStreamEvent, BatchResult | DynamoDBBatchResponse>()
    .use(reportBatchItemFailures)
    .use(logBatch)
    .handler((async ({ Records }: DynamoDBStreamEvent) => publish(Records)) as never);
  return (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> =>
    withinRequest(
      context.getRemainingTimeInMillis() - timeToReport,
      () => chain(event, context) as Promise<DynamoDBBatchResponse>,
    );
};

import middy from '@middy/core';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
} from 'aws-lambda';
import * as z from 'zod/mini';
import { withinRequest } from '../request-context.ts';
import { logBatch } from './log-batch.ts';
import type { BatchResult } from './publish-changes.ts';

// Zod's compiled parsers are faster only after many calls.
z.config({ jitless: true });

/** Milliseconds before Lambda's timeout, in which the records that remain are reported. */
const timeToReport = 1_000;

/** Lambda retries all records from the first failed one on, so only the first is reported. */
const failuresOf = ({ failed }: BatchResult): DynamoDBBatchResponse => ({
  batchItemFailures: failed
    ? [{ itemIdentifier: failed.record.dynamodb?.SequenceNumber ?? '' }]
    : [],
});

export const handleStream = (
  publish: (records: readonly DynamoDBRecord[]) => Promise<BatchResult>,
) => {
  const chain = middy<DynamoDBStreamEvent, BatchResult>()
    .use(logBatch)
    .handler(({ Records }) => publish(Records));
  return async (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> =>
    failuresOf(
      await withinRequest(context.getRemainingTimeInMillis() - timeToReport, () =>
        chain(event, context),
      ),
    );
};

import middy from '@middy/core';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { withinRequest } from '../request-context.ts';
import { logBatch } from './log-batch.ts';
import type { Told } from './tell-changes.ts';

// Compiling a parser pays after many calls of one kind; it costs more than it saves in a function that waits for the bus.
z.config({ jitless: true });

/** So long before Lambda cuts the function off, in milliseconds, nothing more is sent, and what was not told is reported. */
const timeToReport = 1_000;

/** Lambda goes on from the first record that failed, so the others after it need no mention. */
const reportFailures: middy.MiddlewareObj<DynamoDBStreamEvent, Told | DynamoDBBatchResponse> = {
  after: request => {
    const { failed } = request.response as Told;
    const itemIdentifier = failed?.record.dynamodb?.SequenceNumber ?? '';
    request.response = { batchItemFailures: failed ? [{ itemIdentifier }] : [] };
  },
};

/** Wraps what is done with a stream's records into its chain. On the way back the order reverses: logged, then reported. */
export const handleStream = (sentence: (records: readonly DynamoDBRecord[]) => Promise<Told>) => {
  const chain = middy<DynamoDBStreamEvent, Told | DynamoDBBatchResponse>()
    .use(reportFailures)
    .use(logBatch)
    .handler((async ({ Records }: DynamoDBStreamEvent) => sentence(Records)) as never);
  return (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> =>
    withinRequest(
      context.getRemainingTimeInMillis() - timeToReport,
      () => chain(event, context) as Promise<DynamoDBBatchResponse>,
    );
};

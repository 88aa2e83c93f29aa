import type middy from '@middy/core';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { environment } from '../environment.ts';
import type { DeadLetteredRecord } from './dead-letter-queue.ts';
import type { BatchResult } from './publish-changes.ts';

let coldStart = true;

/** The position of a record and the reason. Never an image, which is data of the store. */
const summaryOf = ({ reason, record: { eventID, dynamodb } }: DeadLetteredRecord) => ({
  eventId: eventID,
  item: dynamodb?.Keys?.pk?.S,
  sequenceNumber: dynamodb?.SequenceNumber,
  reason: reason.slice(0, 500),
});

/** The error of a call, or of one entry, which has a code instead of a name. */
const errorOf = (cause: unknown) => {
  const { name, code, message } = (cause ?? {}) as { name?: string; code?: string; message?: string };
  return { name: code ?? name, message: message?.slice(0, 500) };
};

/** Writes one structured line per batch: level ERROR when a record was dead-lettered, WARN when records are retried. */
export const logBatch: middy.MiddlewareObj<DynamoDBStreamEvent, BatchResult | DynamoDBBatchResponse> = {
  before: ({ internal }) => {
    Object.assign(internal, { startedAt: performance.now() });
  },
  after: ({ event, response, internal }) => {
    const { published, deadLettered, failed } = response as BatchResult;
    const { startedAt } = internal as { startedAt: number };
    const write = deadLettered.length > 0 ? console.error : failed ? console.warn : console.info;
    const newest = event.Records.at(-1)?.dynamodb?.ApproximateCreationDateTime;
    write({
      records: event.Records.length,
      published,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      // Of the newest record. Its time is in whole seconds.
      ...(newest && { iteratorAgeSeconds: Math.max(Math.floor(Date.now() / 1000 - newest), 0) }),
      coldStart,
      ...(deadLettered.length > 0 && { build: environment.build, deadLettered: deadLettered.map(summaryOf) }),
      ...(failed && { retryFrom: failed.record.dynamodb?.SequenceNumber, error: errorOf(failed.cause) }),
    });
    coldStart = false;
  },
};

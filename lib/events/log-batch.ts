import type middy from '@middy/core';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { environment } from '../environment.ts';
import type { KeptRecord } from './dead-letter-queue.ts';
import type { Told } from './tell-changes.ts';

let coldStart = true;

/** Never an image, which is data of the store: where the record was, and why it was not told. */
const placeOf = ({ reason, record: { eventID, dynamodb } }: KeptRecord) => ({
  eventId: eventID,
  item: dynamodb?.Keys?.pk?.S,
  sequenceNumber: dynamodb?.SequenceNumber,
  reason: reason.slice(0, 500),
});

/** Of the bus as a whole an error, of one entry its code. */
const causeOf = (cause: unknown) => {
  const { name, code, message } = (cause ?? {}) as { name?: string; code?: string; message?: string };
  return { name: code ?? name, message: message?.slice(0, 500) };
};

/** One structured line per batch: at level ERROR when a record was kept, for somebody to look at; WARN when some come again. */
export const logBatch: middy.MiddlewareObj<DynamoDBStreamEvent, Told | DynamoDBBatchResponse> = {
  before: ({ internal }) => {
    Object.assign(internal, { startedAt: performance.now() });
  },
  after: ({ event, response, internal }) => {
    const { told, kept, failed } = response as Told;
    const { startedAt } = internal as { startedAt: number };
    const write = kept.length > 0 ? console.error : failed ? console.warn : console.info;
    const newest = event.Records.at(-1)?.dynamodb?.ApproximateCreationDateTime;
    write({
      records: event.Records.length,
      published: told,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      // Of the newest record, whose time is in whole seconds.
      ...(newest && { iteratorAgeSeconds: Math.max(Math.floor(Date.now() / 1000 - newest), 0) }),
      coldStart,
      ...(kept.length > 0 && { build: environment.build, deadLettered: kept.map(placeOf) }),
      ...(failed && { retryFrom: failed.record.dynamodb?.SequenceNumber, error: causeOf(failed.cause) }),
    });
    coldStart = false;
  },
};

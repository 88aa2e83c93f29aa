import type middy from '@middy/core';
import type { Context, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { environment } from '../environment.ts';
import { log, millisecondsSince } from '../log.ts';
import type { BatchResult } from './publish-changes.ts';

/** Without an image, because an image is data of the store. */
const positionOf = ({ eventID, dynamodb }: DynamoDBRecord) => ({
  eventId: eventID,
  item: dynamodb?.Keys?.pk?.S,
  sequenceNumber: dynamodb?.SequenceNumber,
  committedAt: new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000).toISOString(),
});

/** The error of one PutEvents entry has a code, but no name. */
const errorOf = (cause: unknown) => {
  const { name, code, message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return { name: code ?? name, message: message?.slice(0, 500) };
};

/**
 * Writes one structured line per batch: ERROR if a record was dead-lettered or violates an invariant, else WARN if Lambda must
 * retry records.
 */
export const logBatch: middy.MiddlewareObj<
  DynamoDBStreamEvent,
  BatchResult,
  Error,
  Context,
  { startedAt: number }
> = {
  before: ({ internal }) => {
    internal.startedAt = performance.now();
  },
  after: ({ event, response, internal }) => {
    const { published, deadLettered, violating, failed } = response!;
    const isError = deadLettered.length > 0 || violating.length > 0;
    const newest = event.Records.at(-1)?.dynamodb?.ApproximateCreationDateTime;
    const level = failed ? 'warn' : 'info';
    log(isError ? 'error' : level, {
      records: event.Records.length,
      published,
      durationMs: millisecondsSince(internal.startedAt),
      // Of the newest record, whose time is in whole seconds.
      ...(newest && { iteratorAgeSeconds: Math.max(Math.floor(Date.now() / 1000 - newest), 0) }),
      ...(isError && { build: environment.build }),
      ...(deadLettered.length > 0 && {
        deadLettered: deadLettered.map(({ record, reason }) => ({
          ...positionOf(record),
          reason: reason.slice(0, 500),
        })),
      }),
      // The metric filter reads the number (cdk/stack/events.ts).
      ...(violating.length > 0 && {
        violatingRecords: violating.length,
        violations: violating.map(({ record, invariants }) => ({
          ...positionOf(record),
          invariants,
        })),
      }),
      ...(failed && {
        retryFrom: failed.record.dynamodb?.SequenceNumber,
        error: errorOf(failed.cause),
      }),
    });
  },
};

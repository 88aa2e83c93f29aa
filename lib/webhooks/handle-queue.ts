import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { log, millisecondsSince } from '../log.ts';
import type { Delivery } from './deliver.ts';

/** `error` instead of `attempt`, if the attempt threw. */
interface Handled {
  readonly record: SQSRecord;
  readonly attempt?: Delivery;
  readonly error?: Error;
  readonly durationMs: number;
}

const levels = { delivered: 'info', gone: 'warn', retried: 'warn', deadLettered: 'error' } as const;

/** Writes one structured line per attempt, never with a body, a URL or a secret. */
const logAttempts: middy.MiddlewareObj<SQSEvent, readonly Handled[]> = {
  after: ({ response }) => {
    for (const { record, attempt, error, durationMs } of response ?? []) {
      const { eventSourceARN: queue, messageId, attributes } = record;
      const failure = {
        queue,
        messageId,
        attempt: Number(attributes.ApproximateReceiveCount),
        error: String(error),
      };
      log(attempt ? levels[attempt.outcome] : 'error', { ...(attempt ?? failure), durationMs });
    }
  },
};

/**
 * Lambda deletes the messages that are not reported; a reported one keeps its visibility timeout. Unlike an exception, a report
 * does not reduce the queue's concurrency (Lambda developer guide, "Handling errors for an SQS event source").
 */
const failuresOf = (handled: readonly Handled[]): SQSBatchResponse => {
  const failed = handled.filter(
    ({ attempt }) => attempt === undefined || attempt.outcome === 'retried',
  );
  return { batchItemFailures: failed.map(({ record }) => ({ itemIdentifier: record.messageId })) };
};

export const handleQueue = (deliver: (record: SQSRecord) => Promise<Delivery>) => {
  const handleOne = async (record: SQSRecord): Promise<Handled> => {
    const startedAt = performance.now();
    const outcome = await deliver(record).then(
      attempt => ({ attempt }),
      (error: Error) => ({ error }),
    );
    return { record, ...outcome, durationMs: millisecondsSince(startedAt) };
  };
  const chain = middy<SQSEvent, readonly Handled[]>()
    .use(logAttempts)
    .handler(({ Records }) => Promise.all(Records.map(handleOne)));
  return async (event: SQSEvent, context: Context) => failuresOf(await chain(event, context));
};

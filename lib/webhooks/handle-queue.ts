import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Delivery } from './deliver.ts';

/** A message with the outcome of its attempt, or the error of SQS that prevented one. */
interface Handled {
  readonly record: SQSRecord;
  readonly attempt?: Delivery;
  readonly error?: Error;
  readonly durationMs: number;
}
type Middleware = middy.MiddlewareObj<SQSEvent, readonly Handled[] | SQSBatchResponse>;

const levels = { delivered: 'info', gone: 'warn', retried: 'warn', deadLettered: 'error' } as const;

let coldStart = true;

/** Writes one structured line per attempt. Never a body, a URL or a secret. */
const logAttempts: Middleware = {
  after: ({ response }) => {
    for (const { record, attempt, error, durationMs } of response as readonly Handled[]) {
      const { eventSourceARN: queue, messageId, attributes } = record;
      const failure = { queue, messageId, attempt: Number(attributes.ApproximateReceiveCount), error: String(error) };
      console[attempt ? levels[attempt.outcome] : 'error']({ ...(attempt ?? failure), durationMs, coldStart });
      coldStart = false;
    }
  },
};

/**
 * Lambda deletes the other messages. A reported one keeps its visibility timeout. Reporting it, unlike throwing, does not make
 * Lambda reduce the concurrency of the queue (Lambda developer guide, "Handling errors for an SQS event source").
 */
const reportBatchItemFailures: Middleware = {
  after: request => {
    const failed = (request.response as readonly Handled[]).filter(
      ({ attempt }) => attempt === undefined || attempt.outcome === 'retried',
    );
    request.response = {
      batchItemFailures: failed.map(({ record }) => ({ itemIdentifier: record.messageId })),
    };
  },
};

/** Wraps the handler of one message in the middleware chain, which logs the outcome and then reports failures. */
export const handleQueue = (deliver: (record: SQSRecord) => Promise<Delivery>) => {
  const handleOne = async (record: SQSRecord): Promise<Handled> => {
    const startedAt = performance.now();
    const outcome = await deliver(record).then(
      attempt => ({ attempt }),
      (error: Error) => ({ error }),
    );
    return { record, ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  };
  const chain = middy<SQSEvent, readonly Handled[] | SQSBatchResponse>()
    .use(reportBatchItemFailures)
    .use(logAttempts)
    .handler((({ Records }: SQSEvent) => Promise.all(Records.map(handleOne))) as never);
  return chain as unknown as (event: SQSEvent, context: object) => Promise<SQSBatchResponse>;
};

import { withinTimeout } from '../aws/connection.ts';
import { timeLeft } from '../request-context.ts';
import { type Bus, entriesPerCall } from './bus.ts';
import type { CloudEvent } from './cloud-event.ts';

/** A caller can add fields of its own, such as the record of the event. */
interface Entry {
  readonly event: CloudEvent;
}

type Attempted<E extends Entry> = E & {
  /** Of the entry, or of the whole call. */
  readonly error?: { readonly code?: string; readonly message: string } | undefined;
  /** The bus will never accept the event. */
  readonly permanent?: boolean;
};

interface PublishResult<E extends Entry> {
  readonly published: number;
  readonly rejected: readonly Attempted<E>[];
  /** To retry: the failed entries of a call, with their last error, and the entries that were not sent. */
  readonly remaining: readonly Attempted<E>[];
}

/** The bus never accepts such an entry (API reference, PutEventsResultEntry). */
const permanentErrors = new Set(['InvalidArgument', 'MalformedDetail']);

/** For momentary errors. Afterwards, Lambda retries the batch with exponential backoff. */
const attemptsPerCall = 4;
/** Milliseconds. */
const baseDelay = 50;

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * Whether the bus rejects the call itself: with a ValidationException, such as "Total size of the entries in the request is over
 * the limit", or with a 413 without a body (github.com/boto/boto3/issues/3411). It would reject the same call for ever.
 */
const isRejected = (
  error: { name?: string; $metadata?: { httpStatusCode?: number } } | undefined,
) => error?.name === 'ValidationException' || error?.$metadata?.httpStatusCode === 413;

/**
 * Sends all entries in one call. If the bus rejects that call, sends each entry in its own call, and an entry that is rejected
 * even then has a permanent error. If a call fails for another reason, all entries of that call have its error.
 */
const put = async <E extends Entry>(bus: Bus, entries: readonly E[]): Promise<Attempted<E>[]> => {
  try {
    const events = entries.map(({ event }) => event);
    const errors = await bus(events, withinTimeout().abortSignal);
    return entries.map((entry, index) => {
      const error = errors[index];
      return { ...entry, error, permanent: permanentErrors.has(error?.code ?? '') };
    });
  } catch (cause) {
    const error = cause as Error;
    if (!isRejected(error)) return entries.map(entry => ({ ...entry, error }));
    const { name: code, message } = error;
    if (entries.length === 1)
      return [{ ...entries[0]!, error: { code, message }, permanent: true }];
    const attempted: Attempted<E>[] = [];
    for (const entry of entries) attempted.push(...(await put(bus, [entry])));
    return attempted;
  }
};

/**
 * Retries only the failed entries of a call, with full jitter. When no attempt or no time is left, makes no further calls: Lambda
 * then retries the batch from the record of the first failed entry, which would publish all later events a second time.
 */
export const publish = async <E extends Entry>(
  bus: Bus,
  entries: readonly E[],
): Promise<PublishResult<E>> => {
  const rejected: Attempted<E>[] = [];
  let published = 0;
  for (let start = 0; start < entries.length; start += entriesPerCall) {
    const end = start + entriesPerCall;
    const stoppedAt = (failed: readonly Attempted<E>[]) => ({
      published,
      rejected,
      remaining: [...failed, ...entries.slice(end)],
    });
    let pending: readonly Attempted<E>[] = entries.slice(start, end);
    for (let attempt = 1; pending.length > 0; attempt++) {
      if (timeLeft() <= 0)
        return stoppedAt(
          pending.map(entry => ({ ...entry, error: new Error('No time was left.') })),
        );
      const attempted = await put(bus, pending);
      published += attempted.filter(({ error }) => !error).length;
      rejected.push(...attempted.filter(({ permanent }) => permanent));
      pending = attempted.filter(({ error, permanent }) => error && !permanent);
      if (pending.length === 0) break;
      const delay = Math.random() * baseDelay * 2 ** attempt;
      if (attempt === attemptsPerCall || delay >= timeLeft()) return stoppedAt(pending);
      await sleep(delay);
    }
  }
  return { published, rejected, remaining: [] };
};

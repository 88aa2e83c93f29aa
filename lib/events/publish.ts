import { requestContext } from '../request-context.ts';
import { type Bus, type EntryError, entriesPerCall } from './bus.ts';
import type { CloudEvent } from './cloud-event.ts';

/** Error codes of an entry that the bus never accepts (API reference, PutEventsResultEntry). */
const permanentErrors = new Set(['InvalidArgument', 'MalformedDetail']);

/** The result for a list of events. Events are named by their position in it. */
interface PublishResult {
  /** The number of accepted events. */
  readonly published: number;
  /** The events that the bus never accepts. */
  readonly rejected: ReadonlyMap<number, EntryError>;
  /** The events of the failed call that can be retried. Later events were not sent. */
  readonly failed: readonly number[];
  /** The last error of a failed event. */
  readonly cause?: unknown;
}

/** Only a few, for momentary errors: after them, Lambda retries the batch with exponential backoff. */
const maxAttempts = 4;
/** Milliseconds. */
const callTimeout = 3_000;
const baseDelay = 50;

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

const timeLeft = () => requestContext().deadline - Date.now();

/** The result of one call: the error of each event, and whether it is permanent. */
interface CallResult {
  readonly errors: readonly unknown[];
  readonly isPermanent: readonly boolean[];
}

/** "Total size of the entries in the request is over the limit", or a bare 413 (github.com/boto/boto3/issues/3411). */
const isTooLarge = (error: { name?: string; $metadata?: { httpStatusCode?: number } } | undefined) =>
  error?.name === 'ValidationException' || error?.$metadata?.httpStatusCode === 413;

/**
 * Makes one call. If it is too large, makes one for each event; an event that is too large alone has a permanent error. If
 * the whole call fails, every event has its error.
 */
const put = async (bus: Bus, events: readonly CloudEvent[]): Promise<CallResult> => {
  try {
    const errors = await bus(events, AbortSignal.timeout(Math.max(Math.min(callTimeout, timeLeft()), 1)));
    return { errors, isPermanent: errors.map(error => permanentErrors.has(error?.code ?? '')) };
  } catch (error) {
    if (!isTooLarge(error as Error)) return { errors: events.map(() => error), isPermanent: events.map(() => false) };
    const { name, message } = error as Error;
    if (events.length === 1) return { errors: [{ code: name, message }], isPermanent: [true] };
    const single: CallResult[] = [];
    for (const event of events) single.push(await put(bus, [event]));
    return { errors: single.flatMap(call => call.errors), isPermanent: single.flatMap(call => call.isPermanent) };
  }
};

/**
 * Publishes events, ten per call, and retries only the failed entries, with full jitter. Stops at the first call that keeps
 * failing: Lambda sends the records again from there, so later events would be published twice.
 */
export const publish = async (bus: Bus, events: readonly CloudEvent[]): Promise<PublishResult> => {
  const rejected = new Map<number, EntryError>();
  let published = 0;
  for (let start = 0; start < events.length; start += entriesPerCall) {
    let pending = events.slice(start, start + entriesPerCall).map((_, index) => start + index);
    for (let attempt = 1; pending.length > 0; attempt++) {
      if (timeLeft() <= 0) return { published, rejected, failed: pending, cause: new Error('No time was left.') };
      const { errors, isPermanent } = await put(
        bus,
        pending.map(position => events[position]!),
      );
      published += errors.filter(error => !error).length;
      for (const [index, position] of pending.entries())
        if (isPermanent[index]) rejected.set(position, errors[index] as EntryError);
      const failed = pending.filter((_, index) => errors[index] && !isPermanent[index]);
      const delay = Math.random() * baseDelay * 2 ** attempt;
      if (failed.length > 0 && (attempt === maxAttempts || delay >= timeLeft()))
        return { published, rejected, failed, cause: errors.find((error, index) => error && !isPermanent[index]) };
      pending = failed;
      if (pending.length > 0) await sleep(delay);
    }
  }
  return { published, rejected, failed: [] };
};

import { requestContext } from '../request-context.ts';
import { type Bus, type EntryFailure, entriesPerCall } from './bus.ts';
import type { CloudEvent } from './cloud-event.ts';

/** What the bus will not take however often it is asked: the event itself is at fault (API reference, PutEventsResultEntry). */
const faultsOfTheEvent = new Set(['InvalidArgument', 'MalformedDetail']);

/** What has come of events, in their order. */
export interface Published {
  readonly told: number;
  /** Those that the bus never takes, by their place. */
  readonly refused: ReadonlyMap<number, EntryFailure>;
  /** Those that it has not taken yet, from the first on; nothing was tried beyond their call. */
  readonly failed: readonly number[];
  /** What the last of those tries met with. */
  readonly cause?: unknown;
}

/** Lambda repeats what failed, with a back-off of its own; so a call is repeated only over what passes in a moment. */
const maxTries = 4;
/** How long one call may take, in milliseconds. */
const callTimeout = 3_000;
const baseDelay = 50;

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

const timeLeft = () => requestContext().deadline - Date.now();

/** What one call has come to: of each event why it failed, and whether it always will. */
interface Tried {
  readonly failures: readonly unknown[];
  readonly isFinal: readonly boolean[];
}

/**
 * That the call asks for more than the bus takes at once: "Total size of the entries in the request is over the limit", or
 * a bare 413 (seen: github.com/boto/boto3/issues/3411).
 */
const isTooLarge = (error: { name?: string; $metadata?: { httpStatusCode?: number } } | undefined) =>
  error?.name === 'ValidationException' || error?.$metadata?.httpStatusCode === 413;

/**
 * One call; where it is too large, one for each event, and what is still too large alone is at fault itself. Where the bus
 * as a whole did not answer, every event failed.
 */
const put = async (bus: Bus, events: readonly CloudEvent[]): Promise<Tried> => {
  try {
    const failures = await bus(events, AbortSignal.timeout(Math.max(Math.min(callTimeout, timeLeft()), 1)));
    return { failures, isFinal: failures.map(failure => faultsOfTheEvent.has(failure?.code ?? '')) };
  } catch (error) {
    if (!isTooLarge(error as Error)) return { failures: events.map(() => error), isFinal: events.map(() => false) };
    const { name, message } = error as Error;
    if (events.length === 1) return { failures: [{ code: name, message }], isFinal: [true] };
    const alone: Tried[] = [];
    for (const event of events) alone.push(await put(bus, [event]));
    return { failures: alone.flatMap(tried => tried.failures), isFinal: alone.flatMap(tried => tried.isFinal) };
  }
};

/**
 * Tells events, ten a call; entries that failed are sent again alone, with full jitter. It stops at the first call of which
 * some cannot be told now: what follows would only be told twice.
 */
export const publish = async (bus: Bus, events: readonly CloudEvent[]): Promise<Published> => {
  const refused = new Map<number, EntryFailure>();
  let told = 0;
  for (let start = 0; start < events.length; start += entriesPerCall) {
    let pending = events.slice(start, start + entriesPerCall).map((_, index) => start + index);
    for (let tries = 1; pending.length > 0; tries++) {
      if (timeLeft() <= 0) return { told, refused, failed: pending, cause: new Error('No time was left.') };
      const { failures, isFinal } = await put(
        bus,
        pending.map(place => events[place]!),
      );
      told += failures.filter(failure => !failure).length;
      for (const [index, place] of pending.entries())
        if (isFinal[index]) refused.set(place, failures[index] as EntryFailure);
      const again = pending.filter((_, index) => failures[index] && !isFinal[index]);
      const delay = Math.random() * baseDelay * 2 ** tries;
      if (again.length > 0 && (tries === maxTries || delay >= timeLeft()))
        return { told, refused, failed: again, cause: failures.find((failure, index) => failure && !isFinal[index]) };
      pending = again;
      if (pending.length > 0) await sleep(delay);
    }
  }
  return { told, refused, failed: [] };
};

import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { CloudEvent } from './cloud-event.ts';

export interface EntryError {
  readonly code: string;
  readonly message: string;
}

/** Returns an error for each event, or undefined if the bus accepted it. @throws when the whole call failed */
export type Bus = (
  events: readonly CloudEvent[],
  abortSignal: AbortSignal,
) => Promise<(EntryError | undefined)[]>;

/**
 * PutEvents accepts at most ten entries and 1 MB in one call (256 KB until January 2026). A test shows that ten of the largest
 * events together have less than 128 KB.
 */
export const entriesPerCall = 10;

/** Rules match this source. The `source` in the event itself also names the stage. */
const source = 'petstore';

export const busOf =
  (client: EventBridgeClient, name: string): Bus =>
  async (events, abortSignal) => {
    const entries = events.map(event => ({
      EventBusName: name,
      Source: source,
      DetailType: event.type,
      Time: new Date(event.time),
      Detail: JSON.stringify(event),
    }));
    const output = await client.send(new PutEventsCommand({ Entries: entries }), { abortSignal });
    return events.map((_, index) => {
      const {
        EventId,
        ErrorCode = 'NoResponse',
        ErrorMessage = '',
      } = output.Entries?.[index] ?? {};
      return EventId ? undefined : { code: ErrorCode, message: ErrorMessage };
    });
  };

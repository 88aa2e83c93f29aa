import type { DynamoDBRecord } from 'aws-lambda';
import { environment } from '../environment.ts';
import { requestContext } from '../request-context.ts';
import { bus, keptRecords } from './clients.ts';
import type { CloudEvent } from './cloud-event.ts';
import type { KeptRecord } from './dead-letter-queue.ts';
import { publish } from './publish.ts';
import { eventsOfRecord } from './stream-record.ts';

/** What has come of a batch of records. */
export interface Told {
  /** How many events were told. */
  readonly told: number;
  /** What could not be understood, and is kept for a person to look at. */
  readonly kept: readonly KeptRecord[];
  /** The first record that has to come again, with all that follow it, and what it met with. */
  readonly failed?: { readonly record: DynamoDBRecord; readonly cause: unknown };
}

type Reading = { readonly events: CloudEvent[] } | { readonly reason: string };

const { eventSource: source, eventsGeneration: generation } = environment;

const read = (record: DynamoDBRecord): Reading => {
  try {
    return { events: eventsOfRecord(record, { source, generation }) };
  } catch (error) {
    return { reason: String((error as Error).message) };
  }
};

/** A defect holds nothing up: its record is kept whole, beyond what the stream remembers. */
const keep = async (kept: KeptRecord): Promise<unknown> => {
  try {
    await keptRecords(kept, AbortSignal.timeout(Math.max(requestContext().deadline - Date.now(), 1)));
    return undefined;
  } catch (error) {
    return error;
  }
};

/**
 * Tells what a batch of the stream's records means. Those that cannot be understood, or that the bus never takes, are kept
 * elsewhere; what could not be told, or kept, for now is to come again.
 */
export const tellChanges = async (records: readonly DynamoDBRecord[]): Promise<Told> => {
  const readings = records.map(read);
  const events = readings.flatMap((reading, index) =>
    'events' in reading ? reading.events.map(event => ({ event, index })) : [],
  );
  const { told, refused, failed, cause } = await publish(
    bus,
    events.map(({ event }) => event),
  );
  const reasons = new Map(readings.flatMap((reading, index) => ('reason' in reading ? [[index, reading.reason]] : [])));
  for (const [place, { code, message }] of refused)
    reasons.set(events[place]!.index, `The bus refuses it: ${code}: ${message}`);

  const end = failed.length > 0 ? events[failed[0]!]!.index : records.length;
  const kept: KeptRecord[] = [];
  for (const [index, reason] of [...reasons].filter(([place]) => place < end).sort(([a], [b]) => a - b)) {
    const record = records[index]!;
    const error = await keep({ reason, record });
    if (error) return { told, kept, failed: { record, cause: error } };
    kept.push({ reason, record });
  }
  return { told, kept, ...(end < records.length && { failed: { record: records[end]!, cause } }) };
};

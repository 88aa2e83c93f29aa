import type { DynamoDBRecord } from 'aws-lambda';
import { environment } from '../environment.ts';
import { violationsOfChange } from '../model/invariants.ts';
import { requestContext } from '../request-context.ts';
import { bus, deadLetterQueue } from './clients.ts';
import type { CloudEvent } from './cloud-event.ts';
import type { DeadLetteredRecord } from './dead-letter-queue.ts';
import { publish } from './publish.ts';
import { changeOf, eventsOfChange, type ItemChange, tableOf } from './stream-record.ts';

/** A record whose change violates invariants. It is published like any other. */
interface ViolatingRecord {
  readonly record: DynamoDBRecord;
  /** Names of the invariants. */
  readonly invariants: readonly string[];
}

/** The result for a batch of records. */
export interface BatchResult {
  /** The number of published events. */
  readonly published: number;
  /** Records that were sent to the dead-letter queue. */
  readonly deadLettered: readonly DeadLetteredRecord[];
  readonly violating: readonly ViolatingRecord[];
  /** The first record that Lambda must retry, with all that follow it, and the error. */
  readonly failed?: { readonly record: DynamoDBRecord; readonly cause: unknown };
}

type Parsed = { readonly invariants: string[] } & ({ readonly events: CloudEvent[] } | { readonly reason: string });

const { eventSource: source, eventsGeneration: generation, tableName, indexShards } = environment;

/** Checked also when the change has no event, or one that cannot be published. */
const violatedInvariants = ({ before, after }: ItemChange): string[] => [
  ...new Set(Array.from(violationsOfChange(before, after, indexShards), ({ invariant }) => invariant)),
];

const parse = (record: DynamoDBRecord): Parsed => {
  // While a deployment adopts a restored table, the event source mapping of the old one can still deliver. With the new
  // generation, its events would be newer than those of the new table.
  const table = tableOf(record);
  if (table !== tableName)
    return { invariants: [], reason: `It is a record of the table ${table}; the stage's table is ${tableName}.` };
  let invariants: string[] = [];
  try {
    const change = changeOf(record);
    invariants = violatedInvariants(change);
    return { invariants, events: eventsOfChange(change, { source, generation }) };
  } catch (error) {
    return { invariants, reason: String((error as Error).message) };
  }
};

/** @returns the error when the queue did not accept the record */
const sendToDeadLetterQueue = async (record: DeadLetteredRecord): Promise<unknown> => {
  try {
    await deadLetterQueue(record, AbortSignal.timeout(Math.max(requestContext().deadline - Date.now(), 1)));
    return undefined;
  } catch (error) {
    return error;
  }
};

/**
 * Publishes the events of a batch of stream records. A record that cannot be parsed, or whose event the bus never accepts,
 * goes to the dead-letter queue, so that it does not block the records after it. Everything else that fails is left to
 * Lambda's retry.
 */
export const publishChanges = async (records: readonly DynamoDBRecord[]): Promise<BatchResult> => {
  const parsed = records.map(parse);
  const violating = parsed.flatMap(({ invariants }, index) =>
    invariants.length > 0 ? [{ record: records[index]!, invariants }] : [],
  );
  const events = parsed.flatMap((result, index) =>
    'events' in result ? result.events.map(event => ({ event, index })) : [],
  );
  const { published, rejected, failed, cause } = await publish(
    bus,
    events.map(({ event }) => event),
  );
  const reasons = new Map(parsed.flatMap((result, index) => ('reason' in result ? [[index, result.reason]] : [])));
  for (const [position, { code, message }] of rejected)
    reasons.set(events[position]!.index, `The bus rejects it: ${code}: ${message}`);

  const end = failed.length > 0 ? events[failed[0]!]!.index : records.length;
  const deadLettered: DeadLetteredRecord[] = [];
  for (const [index, reason] of [...reasons].filter(([position]) => position < end).sort(([a], [b]) => a - b)) {
    const record = records[index]!;
    const error = await sendToDeadLetterQueue({ reason, record });
    if (error) return { published, deadLettered, violating, failed: { record, cause: error } };
    deadLettered.push({ reason, record });
  }
  return {
    published,
    deadLettered,
    violating,
    ...(end < records.length && { failed: { record: records[end]!, cause } }),
  };
};

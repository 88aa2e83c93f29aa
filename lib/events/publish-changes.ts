import type { DynamoDBRecord } from 'aws-lambda';
import { environment } from '../environment.ts';
import { violationsOfChange } from '../model/invariants.ts';
import { bus } from './clients.ts';
import type { CloudEvent } from './cloud-event.ts';
import { type DeadLetteredRecord, deadLetter } from './dead-letter-queue.ts';
import { publish } from './publish.ts';
import { changeOf, eventsOfChange, type ItemChange, tableOf } from './stream-record.ts';

/** `invariants`: the names of those that the change violates. A violation does not prevent publishing. */
interface CheckedRecord {
  readonly record: DynamoDBRecord;
  readonly invariants: readonly string[];
}

/** `published` counts events. */
export interface BatchResult {
  readonly published: number;
  readonly deadLettered: readonly DeadLetteredRecord[];
  readonly violating: readonly CheckedRecord[];
  /** The first record that Lambda must retry. Lambda also retries all records after it. */
  readonly failed?: { readonly record: DynamoDBRecord; readonly cause: unknown };
}

/** `reason`: why the record cannot be published. */
interface ParsedRecord extends CheckedRecord {
  readonly events: readonly CloudEvent[];
  readonly reason?: string;
}

const { eventSource: source, eventsGeneration: generation, tableName, indexShards } = environment;

/** Checked even if the change has no event, or its event cannot be published. */
const violatedInvariants = ({ before, after }: ItemChange): string[] => [
  ...new Set(
    Array.from(violationsOfChange(before, after, indexShards), ({ invariant }) => invariant),
  ),
];

const parse = (record: DynamoDBRecord): ParsedRecord => {
  const unpublishable = { record, invariants: [], events: [] };
  // While a deployment switches the stage to another table, the event source mapping of the old table can still deliver records.
  // Their events would get the new generation, and could look newer than events of the new table.
  const table = tableOf(record);
  if (table !== tableName)
    return {
      ...unpublishable,
      reason: `It is a record of the table ${table}; the stage's table is ${tableName}.`,
    };
  let invariants: string[] = [];
  try {
    const change = changeOf(record);
    invariants = violatedInvariants(change);
    return { record, invariants, events: eventsOfChange(change, { source, generation }) };
  } catch (error) {
    return { ...unpublishable, invariants, reason: String((error as Error).message) };
  }
};

/**
 * A record that cannot be parsed, is of another table, or has an event that the bus never accepts goes to the dead-letter queue,
 * so that it does not block the records after it. After any other failure, Lambda retries from the failed record.
 */
export const publishChanges = async (records: readonly DynamoDBRecord[]): Promise<BatchResult> => {
  const parsed = records.map(parse);
  const violating = parsed.filter(({ invariants }) => invariants.length > 0);
  const entries = parsed.flatMap(({ record, events }) => events.map(event => ({ event, record })));
  const { published, rejected, remaining } = await publish(bus, entries);
  const reasons = new Map(parsed.map(({ record, reason }) => [record, reason]));
  for (const { record, error } of rejected)
    reasons.set(record, `The bus rejects it: ${error?.code}: ${error?.message}`);

  const [first] = remaining;
  const deadLettered: DeadLetteredRecord[] = [];
  for (const [record, reason] of reasons) {
    if (record === first?.record)
      return { published, deadLettered, violating, failed: { record, cause: first.error } };
    if (reason === undefined) continue;
    try {
      await deadLetter({ reason, record });
    } catch (cause) {
      return { published, deadLettered, violating, failed: { record, cause } };
    }
    deadLettered.push({ reason, record });
  }
  return { published, deadLettered, violating };
};

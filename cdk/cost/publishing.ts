import { evaluate, resourcesOf, type Template } from '../build/template.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import type { Flow } from './method-limits.ts';
import type { CostLine } from './standing-costs.ts';

/** What one request changes and tells at most: records of the stream that come to the publisher, and events. */
interface Telling {
  readonly records: number;
  readonly events: number;
}

/** Of methods that write; what the tests see of any sequence of operations stays within it (test/events/completeness.test.ts). */
export const largestTellings: Readonly<Record<string, Telling>> = {
  // A pet and its stock; a category's count of pets is a record and no event.
  'POST /pets': { records: 2, events: 2 },
  'PUT /pets/{petId}': { records: 3, events: 2 },
  'PATCH /pets/{petId}': { records: 3, events: 2 },
  'DELETE /pets/{petId}': { records: 2, events: 2 },
  'POST /pets/categories': { records: 1, events: 1 },
  'PUT /pets/categories/{categoryId}': { records: 1, events: 1 },
  'DELETE /pets/categories/{categoryId}': { records: 1, events: 1 },
  'PUT /store/inventory/{petId}': { records: 1, events: 2 },
  // A sale over the counter is placed and completed; and it may be the pet's last unit.
  'POST /store/orders': { records: 2, events: 4 },
  'PATCH /store/orders/{orderId}': { records: 2, events: 3 },
  'DELETE /store/orders/{orderId}': { records: 2, events: 3 },
};
/** The same of any other method that writes. */
export const largestOtherTelling: Telling = { records: 3, events: 4 };

export const largestTellingOf = (name: string): Telling =>
  name.startsWith('GET ') ? { records: 0, events: 0 } : (largestTellings[name] ?? largestOtherTelling);

/**
 * Shards of the stream, each of which is read by itself. AWS does not document their number; it is said to be that of the
 * table's partitions, and a new table without a warm-up takes 4 000 writes a second (DynamoDB developer guide, "On-demand
 * capacity mode"), of which a partition takes 1 000.
 */
const shards = 4;
/** Bytes that a batch of one record logs when it fails or is kept (lib/events/log-batch.ts), Lambda's envelope included. */
const logBytesPerBatch = 1_500;

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

const none = { records: 0, logBytes: 0, lines: [] as CostLine[] };

/** What telling costs at most: the publisher always busy on every shard, and invoked for each record alone. */
export const tellingOf = (template: Template, flows: readonly Flow[]) => {
  const [mapping] = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([, raw]) => evaluate(raw));
  if (!mapping) return none;
  const { MemorySize: memory } = evaluate(template.Resources[mapping.FunctionName]!.Properties);
  const told = (of: keyof Telling) =>
    flows
      .filter(({ timeout }) => timeout > 0)
      .reduce((sum, { name, rate }) => sum + rate * largestTellingOf(name)[of], 0);
  const [records, events] = [told('records'), told('events')];
  const gigabyteSeconds = (shards * mapping.ParallelizationFactor * memory) / 1024;
  const lines: CostLine[] = [
    {
      what: 'Lambda, publisher',
      bound: `${shards} shards, always busy: ${number(gigabyteSeconds)} GB-seconds a second; a batch for each of ${number(records)} records a second`,
      month: (gigabyteSeconds * prices.lambdaGigabyteSecond + records * prices.lambdaRequest) * secondsPerMonth,
    },
    {
      what: 'EventBridge',
      bound: `what writes at most tell: ${number(events)} events a second`,
      month: events * secondsPerMonth * prices.eventPut,
    },
  ];
  return { records, logBytes: logBytesPerBatch, lines };
};

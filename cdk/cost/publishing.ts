import { prices } from '../config/prices.ts';
import { evaluate, resourcesOf, type Template } from '../synthesis/template.ts';
import { type CostLine, costLine, number, sum } from './bill.ts';
import type { MethodLimits } from './method-limits.ts';

/** What one request changes and publishes at most. */
interface Changes {
  /** Stream records that the publisher receives. */
  readonly records: number;
  readonly events: number;
}

/** Per method that writes. Random sequences of operations stay within it (test/events/model.test.ts). */
export const largestChanges: Readonly<Record<string, Changes>> = {
  // A pet and its stock; the pet count of a category is a record without an event.
  'POST /pets': { records: 2, events: 2 },
  'PUT /pets/{petId}': { records: 3, events: 2 },
  'PATCH /pets/{petId}': { records: 3, events: 2 },
  'DELETE /pets/{petId}': { records: 2, events: 2 },
  'POST /pets/categories': { records: 1, events: 1 },
  'PUT /pets/categories/{categoryId}': { records: 1, events: 1 },
  'DELETE /pets/categories/{categoryId}': { records: 1, events: 1 },
  'PUT /store/inventory/{petId}': { records: 1, events: 2 },
  // A counter sale is placed and completed, and may take the last unit of the pet.
  'POST /store/orders': { records: 2, events: 4 },
  'PATCH /store/orders/{orderId}': { records: 2, events: 3 },
  'DELETE /store/orders/{orderId}': { records: 2, events: 3 },
};
/** For every other method that writes. */
export const largestOtherChanges: Changes = { records: 3, events: 4 };

export const largestChangesOf = (name: string): Changes =>
  name.startsWith('GET ') ? { records: 0, events: 0 } : (largestChanges[name] ?? largestOtherChanges);

/**
 * Shards of the stream; Lambda reads each of them. AWS does not document their number. It is reported to be the number of
 * partitions of the table: a new table takes 4,000 writes a second without warm-up (DynamoDB developer guide, "On-demand
 * capacity mode"), and a partition takes 1,000.
 */
const shards = 4;
/** Bytes that a batch of one record logs when it fails or is dead-lettered (lib/events/log-batch.ts), with Lambda's envelope. */
const logBytesPerBatch = 1_500;

/** What publishing events costs at most: the publisher is always busy on every shard, and invoked for each single record. */
export const publishingCosts = (template: Template, methods: readonly MethodLimits[]) => {
  // The other mappings are those of queues.
  const mapping = resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .map(([, raw]) => evaluate(raw))
    .find(({ StartingPosition }) => StartingPosition !== undefined);
  if (!mapping) return { records: 0, events: 0, logBytes: 0, lines: [] as CostLine[] };
  const { MemorySize: memory } = evaluate(template.Resources[mapping.FunctionName]!.Properties);
  const invoking = methods.filter(({ timeout }) => timeout > 0);
  const perSecond = (of: keyof Changes) => sum(invoking.map(({ name, rate }) => rate * largestChangesOf(name)[of]));
  const [records, events] = [perSecond('records'), perSecond('events')];
  const gigabyteSeconds = (shards * mapping.ParallelizationFactor * memory) / 1024;
  const busy = `${shards} shards, always busy: ${number(gigabyteSeconds)} GB-seconds a second`;
  const lambda = gigabyteSeconds * prices.lambdaGigabyteSecond + records * prices.lambdaRequest;
  const lines = [
    costLine('Lambda, publisher', `${busy}; ${number(records)} batches of one record a second`, lambda),
    costLine('EventBridge', `events of all writes: ${number(events)} a second`, events * prices.eventPut),
  ];
  return { records, events, logBytes: logBytesPerBatch, lines };
};

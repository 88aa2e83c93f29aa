import { references } from '../../lib/model/references.ts';
import { prices } from '../config/prices.ts';
import { evaluate, resourcesOf, type Template } from '../synthesis/template.ts';
import { type CostLine, costLine, number, sum } from './bill.ts';
import type { MethodLimits } from './method-limits.ts';

/** By one request, at most. */
interface Changes {
  /** Of the stream. */
  readonly records: number;
  readonly events: number;
}

/** The counters of parents, each in a record of its own. */
const countersOf = (kind: string) =>
  references.filter(one => one.kind === kind && one.counter).length;
const [ofPet, ofCategory, ofOrder] = ['PET', 'CATEGORY', 'ORDER'].map(countersOf) as [
  number,
  number,
  number,
];

/** Random sequences of operations stay within them (test/events/model.test.ts). */
export const largestChanges: Readonly<Record<string, Changes>> = {
  // Both events (pet, stock) come from the pet's record. A change moves an item from one parent to another.
  'POST /pets': { records: 1 + ofPet, events: 2 },
  'PUT /pets/{petId}': { records: 1 + 2 * ofPet, events: 2 },
  'PATCH /pets/{petId}': { records: 1 + 2 * ofPet, events: 2 },
  'DELETE /pets/{petId}': { records: 1 + ofPet, events: 2 },
  'POST /pets/categories': { records: 1 + ofCategory, events: 1 },
  'PUT /pets/categories/{categoryId}': { records: 1 + 2 * ofCategory, events: 1 },
  'DELETE /pets/categories/{categoryId}': { records: 1 + ofCategory, events: 1 },
  'PUT /store/inventory/{petId}': { records: 1, events: 2 },
  // A counter sale publishes order placed, order completed, inventory updated and, if it sells the last unit, pet updated.
  'POST /store/orders': { records: 2 + ofOrder, events: 4 },
  'PATCH /store/orders/{orderId}': { records: 2 + 2 * ofOrder, events: 3 },
  'DELETE /store/orders/{orderId}': { records: 2 + ofOrder, events: 3 },
};
export const largestOtherChanges: Changes = { records: 3, events: 4 };

export const largestChangesOf = (name: string): Changes =>
  name.startsWith('GET ')
    ? { records: 0, events: 0 }
    : (largestChanges[name] ?? largestOtherChanges);

/**
 * AWS does not document the number; reports say that the stream has a shard per partition of the table. A new table takes 4,000
 * writes a second without warm-up (DynamoDB developer guide, "On-demand capacity mode"), a partition 1,000, so there are four.
 */
const shards = 4;
/** If a batch of one record fails or is dead-lettered (lib/events/log-batch.ts), with Lambda's envelope. */
const logBytesPerBatch = 1_500;

/** At most: the publisher is always busy on every shard, and every invocation has a single record. */
export const publishingCosts = (template: Template, methods: readonly MethodLimits[]) => {
  // Only the mapping of the stream has a starting position.
  const mapping = resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .map(([, raw]) => evaluate(raw))
    .find(({ StartingPosition }) => StartingPosition !== undefined);
  const of = 'a failing batch';
  if (!mapping) return { runs: 0, events: 0, logBytes: 0, of, lines: [] as CostLine[] };
  const { MemorySize: memory } = evaluate(template.Resources[mapping.FunctionName]!.Properties);
  const invoking = methods.filter(({ timeout }) => timeout > 0);
  const perSecond = (of: keyof Changes) =>
    sum(invoking.map(({ name, rate }) => rate * largestChangesOf(name)[of]));
  const [records, events] = [perSecond('records'), perSecond('events')];
  const gigabyteSeconds = (shards * mapping.ParallelizationFactor * memory) / 1024;
  const busy = `${shards} shards, always busy: ${number(gigabyteSeconds)} GB-seconds a second`;
  const lambda = gigabyteSeconds * prices.lambdaGigabyteSecond + records * prices.lambdaRequest;
  const lines = [
    costLine(
      'Lambda, publisher',
      `${busy}; ${number(records)} batches of one record a second`,
      lambda,
    ),
    costLine(
      'EventBridge',
      `events of all writes: ${number(events)} a second`,
      events * prices.eventPut,
    ),
  ];
  return { runs: records, events, logBytes: logBytesPerBatch, of, lines };
};

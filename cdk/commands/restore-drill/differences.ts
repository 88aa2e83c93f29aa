import { isDeepStrictEqual } from 'node:util';
import type { TableDefinition } from './definition.ts';
import type { Found } from './table-state.ts';

/** A thing that a restored table has, and what its definition says of it. */
interface Pair {
  readonly what: string;
  readonly found: unknown;
  readonly expected: unknown;
}

/** The aspects of a table that a restore forgets are set a call each; the others come with it. */
export type Aspect = 'protection' | 'maximum' | 'stream' | 'timeToLive' | 'recovery' | 'tags' | 'restored';

const pairsOf = (
  { table, diesBy, recoverable, tags }: Found,
  definition: TableDefinition,
): Readonly<Record<Aspect, readonly Pair[]>> => {
  const pair = (what: string, found: unknown, expected: unknown): Pair => ({ what, found, expected });
  const indexOf = (name: string) => table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
  const fields = (projection: { NonKeyAttributes?: string[] | undefined } | undefined) =>
    [...(projection?.NonKeyAttributes ?? [])].sort();
  return {
    restored: [
      pair('key', table.KeySchema, definition.keySchema),
      pair('indexes', table.GlobalSecondaryIndexes?.length ?? 0, definition.indexes.length),
      pair('billing', table.BillingModeSummary?.BillingMode, 'PAY_PER_REQUEST'),
      ...definition.indexes.flatMap(({ IndexName, KeySchema, Projection }) => [
        pair(`key of ${IndexName}`, indexOf(IndexName)?.KeySchema, KeySchema),
        pair(`projection of ${IndexName}`, fields(indexOf(IndexName)?.Projection), fields(Projection)),
      ]),
    ],
    maximum: [
      pair('maximum units', table.OnDemandThroughput, definition.maximum),
      ...definition.indexes.map(({ IndexName, maximum }) =>
        pair(`maximum units of ${IndexName}`, indexOf(IndexName)?.OnDemandThroughput, maximum),
      ),
    ],
    stream: [pair('stream', table.StreamSpecification?.StreamViewType, definition.streamViewType)],
    timeToLive: [pair('time to live', diesBy, definition.timeToLive.AttributeName)],
    recovery: [pair('point-in-time recovery', recoverable, definition.recoverable)],
    protection: [pair('deletion protection', table.DeletionProtectionEnabled ?? false, definition.isProtected)],
    tags: definition.tags.map(({ Key, Value }) => pair(`tag ${Key}`, tags.find(tag => tag.Key === Key)?.Value, Value)),
  };
};

/** In what a table differs from its definition: a sentence each. @param aspects those alone */
export const differencesOf = (found: Found, definition: TableDefinition, ...aspects: Aspect[]): string[] =>
  Object.entries(pairsOf(found, definition))
    .filter(([aspect]) => aspects.length === 0 || aspects.includes(aspect as Aspect))
    .flatMap(([, pairs]) => pairs)
    .filter(pair => !isDeepStrictEqual(pair.found, pair.expected))
    .map(pair => `${pair.what}: ${JSON.stringify(pair.found)}, and the stage has ${JSON.stringify(pair.expected)}`);

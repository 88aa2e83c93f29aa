import { isDeepStrictEqual } from 'node:util';
import type { TableDefinition } from './definition.ts';
import type { TableState } from './table-state.ts';

/** A value of a restored table, and the value in its definition. */
interface Comparison {
  readonly what: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/** The settings that a restore does not copy, one call each; `restored` is all that it copies. */
export type Setting = 'protection' | 'maximum' | 'stream' | 'timeToLive' | 'recovery' | 'tags' | 'restored';

const comparisonsOf = (
  { table, timeToLiveAttribute, recoverable, tags }: TableState,
  definition: TableDefinition,
): Readonly<Record<Setting, readonly Comparison[]>> => {
  const compare = (what: string, actual: unknown, expected: unknown): Comparison => ({ what, actual, expected });
  const indexOf = (name: string) => table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
  const fields = (projection: { NonKeyAttributes?: string[] | undefined } | undefined) =>
    [...(projection?.NonKeyAttributes ?? [])].sort();
  return {
    restored: [
      compare('key', table.KeySchema, definition.keySchema),
      compare('indexes', table.GlobalSecondaryIndexes?.length ?? 0, definition.indexes.length),
      compare('billing', table.BillingModeSummary?.BillingMode, 'PAY_PER_REQUEST'),
      ...definition.indexes.flatMap(({ IndexName, KeySchema, Projection }) => [
        compare(`key of ${IndexName}`, indexOf(IndexName)?.KeySchema, KeySchema),
        compare(`projection of ${IndexName}`, fields(indexOf(IndexName)?.Projection), fields(Projection)),
      ]),
    ],
    maximum: [
      compare('maximum units', table.OnDemandThroughput, definition.maximum),
      ...definition.indexes.map(({ IndexName, maximum }) =>
        compare(`maximum units of ${IndexName}`, indexOf(IndexName)?.OnDemandThroughput, maximum),
      ),
    ],
    stream: [compare('stream', table.StreamSpecification?.StreamViewType, definition.streamViewType)],
    timeToLive: [compare('time to live', timeToLiveAttribute, definition.timeToLive.AttributeName)],
    recovery: [compare('point-in-time recovery', recoverable, definition.recoverable)],
    protection: [compare('deletion protection', table.DeletionProtectionEnabled ?? false, definition.isProtected)],
    tags: definition.tags.map(({ Key, Value }) =>
      compare(`tag ${Key}`, tags.find(tag => tag.Key === Key)?.Value, Value),
    ),
  };
};

/** The differences between a table and its definition, as texts. @param settings only these */
export const differencesOf = (state: TableState, definition: TableDefinition, ...settings: Setting[]): string[] =>
  Object.entries(comparisonsOf(state, definition))
    .filter(([setting]) => settings.length === 0 || settings.includes(setting as Setting))
    .flatMap(([, comparisons]) => comparisons)
    .filter(({ actual, expected }) => !isDeepStrictEqual(actual, expected))
    .map(({ what, actual, expected }) => `${what}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);

import { isDeepStrictEqual } from 'node:util';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from './definition.ts';

/** In what a table differs from its definition: a sentence each. */
export const differencesOf = async (
  client: DynamoDBClient,
  tableName: string,
  definition: TableDefinition,
): Promise<string[]> => {
  const TableName = tableName;
  const { Table: table = {} } = await client.send(new DescribeTableCommand({ TableName }));
  const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const { Tags: tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: table.TableArn }));
  const indexOf = (name: string) => table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
  const isDying = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';

  const pairs: [string, unknown, unknown][] = [
    ['key', table.KeySchema, definition.keySchema],
    ['indexes', table.GlobalSecondaryIndexes?.length ?? 0, definition.indexes.length],
    ['billing', table.BillingModeSummary?.BillingMode, 'PAY_PER_REQUEST'],
    ['maximum units', table.OnDemandThroughput, definition.maximum],
    ...definition.indexes.flatMap(({ IndexName, KeySchema, Projection, maximum }): [string, unknown, unknown][] => {
      const found = indexOf(IndexName);
      const fields = (projection: typeof Projection | undefined) => [...(projection?.NonKeyAttributes ?? [])].sort();
      return [
        [`key of ${IndexName}`, found?.KeySchema, KeySchema],
        [`projection of ${IndexName}`, fields(found?.Projection), fields(Projection)],
        [`maximum units of ${IndexName}`, found?.OnDemandThroughput, maximum],
      ];
    }),
    ['stream', table.StreamSpecification?.StreamViewType, definition.streamViewType],
    ['time to live', isDying ? ttl?.AttributeName : undefined, definition.timeToLive.AttributeName],
    [
      'point-in-time recovery',
      backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED',
      definition.recoverable,
    ],
    ['deletion protection', table.DeletionProtectionEnabled ?? false, definition.isProtected],
    ...definition.tags.map(({ Key, Value }): [string, unknown, unknown] => [
      `tag ${Key}`,
      tags.find(tag => tag.Key === Key)?.Value,
      Value,
    ]),
  ];
  return pairs
    .filter(([, found, expected]) => !isDeepStrictEqual(found, expected))
    .map(
      ([what, found, expected]) => `${what}: ${JSON.stringify(found)}, and the stage has ${JSON.stringify(expected)}`,
    );
};

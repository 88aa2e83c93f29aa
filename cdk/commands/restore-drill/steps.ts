import {
  DeleteTableCommand,
  RestoreTableToPointInTimeCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from './definition.ts';
import type { Aspect } from './differences.ts';

/** A call that changes something, and what for. What it sends is made apart from sending it, and tested. */
export interface Step {
  readonly what: string;
  /** What it sets: where that holds already the step is left out. */
  readonly sets?: Exclude<Aspect, 'restored'>;
  readonly command:
    | DeleteTableCommand
    | RestoreTableToPointInTimeCommand
    | TagResourceCommand
    | UpdateContinuousBackupsCommand
    | UpdateTableCommand
    | UpdateTimeToLiveCommand;
}

/** @param moment to the second: what was committed by then is restored */
export const restoring = (sourceArn: string, target: string, moment: Date): Step => ({
  what: `restores the table as it was at ${moment.toISOString()}`,
  command: new RestoreTableToPointInTimeCommand({
    SourceTableArn: sourceArn,
    TargetTableName: target,
    RestoreDateTime: moment,
  }),
});

/**
 * What a restore forgets: time to live, point-in-time recovery, the stream and tags (API reference,
 * RestoreTableToPointInTime, "You must manually set up"), and the maximum units and deletion protection, of which that page
 * says nothing. One kind of change at a time: an UpdateTable takes no two of them. The tags come first, because they show late.
 * A stream that is on, or a time to live, is not switched on again: DynamoDB refuses both with a ValidationException.
 */
export const reapplying = (
  target: string,
  arn: string,
  { indexes, maximum, streamViewType, timeToLive, recoverable, isProtected, tags }: TableDefinition,
): Step[] => [
  ...(tags.length > 0
    ? [
        {
          what: 'tags it',
          sets: 'tags' as const,
          command: new TagResourceCommand({ ResourceArn: arn, Tags: [...tags] }),
        },
      ]
    : []),
  {
    what: 'protects it from deletion',
    sets: 'protection',
    command: new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: isProtected }),
  },
  {
    what: 'bounds its request units, and those of its indexes',
    sets: 'maximum',
    command: new UpdateTableCommand({
      TableName: target,
      OnDemandThroughput: maximum,
      GlobalSecondaryIndexUpdates: indexes.map(({ IndexName, maximum: OnDemandThroughput }) => ({
        Update: { IndexName, OnDemandThroughput },
      })),
    }),
  },
  ...(streamViewType
    ? [
        {
          what: 'switches its stream on',
          sets: 'stream' as const,
          command: new UpdateTableCommand({
            TableName: target,
            StreamSpecification: { StreamEnabled: true, StreamViewType: streamViewType },
          }),
        },
      ]
    : []),
  {
    what: 'lets what has expired die',
    sets: 'timeToLive',
    command: new UpdateTimeToLiveCommand({ TableName: target, TimeToLiveSpecification: timeToLive }),
  },
  {
    what: 'makes it recoverable itself',
    sets: 'recovery',
    command: new UpdateContinuousBackupsCommand({
      TableName: target,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: recoverable },
    }),
  },
];

/** Takes a restored table away again. */
export const removing = (target: string): [Step, Step] => [
  {
    what: 'takes its protection away',
    command: new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: false }),
  },
  { what: 'deletes it', command: new DeleteTableCommand({ TableName: target }) },
];

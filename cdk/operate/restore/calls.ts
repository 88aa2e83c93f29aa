import {
  DeleteTableCommand,
  RestoreTableToPointInTimeCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from './definition.ts';

/** A call that changes something, and what for. What it sends is made apart from sending it, and tested. */
export interface Step {
  readonly what: string;
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
 * says nothing. One kind of change at a time: an UpdateTable takes no two of them.
 */
export const reapplying = (
  target: string,
  arn: string,
  { indexes, maximum, streamViewType, timeToLive, recoverable, isProtected, tags }: TableDefinition,
): Step[] => [
  {
    what: 'protects it from deletion',
    command: new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: isProtected }),
  },
  {
    what: 'bounds its request units, and those of its indexes',
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
          command: new UpdateTableCommand({
            TableName: target,
            StreamSpecification: { StreamEnabled: true, StreamViewType: streamViewType },
          }),
        },
      ]
    : []),
  {
    what: 'lets what has expired die',
    command: new UpdateTimeToLiveCommand({ TableName: target, TimeToLiveSpecification: timeToLive }),
  },
  {
    what: 'makes it recoverable itself',
    command: new UpdateContinuousBackupsCommand({
      TableName: target,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: recoverable },
    }),
  },
  ...(tags.length > 0
    ? [{ what: 'tags it', command: new TagResourceCommand({ ResourceArn: arn, Tags: [...tags] }) }]
    : []),
];

/** Takes a restored table away again. */
export const removing = (target: string): [Step, Step] => [
  {
    what: 'takes its protection away',
    command: new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: false }),
  },
  { what: 'deletes it', command: new DeleteTableCommand({ TableName: target }) },
];

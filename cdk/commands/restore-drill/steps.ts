import {
  DeleteTableCommand,
  RestoreTableToPointInTimeCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from './definition.ts';
import type { Setting } from './differences.ts';

/** A call that changes something. Its input is built apart from sending it, so that tests can compare it. */
export interface Step {
  readonly what: string;
  /** The setting that it changes. A table that has the setting skips the step. */
  readonly sets?: Exclude<Setting, 'restored'>;
  readonly command:
    | DeleteTableCommand
    | RestoreTableToPointInTimeCommand
    | TagResourceCommand
    | UpdateContinuousBackupsCommand
    | UpdateTableCommand
    | UpdateTimeToLiveCommand;
}

/** @param moment to the second: the restore has what was committed by then */
export const restoreStep = (sourceArn: string, target: string, moment: Date): Step => ({
  what: `restore the table to ${moment.toISOString()}`,
  command: new RestoreTableToPointInTimeCommand({
    SourceTableArn: sourceArn,
    TargetTableName: target,
    RestoreDateTime: moment,
  }),
});

/**
 * The settings that a restore does not copy: time to live, point-in-time recovery, the stream and tags (API reference,
 * RestoreTableToPointInTime, "You must manually set up"), and the maximum units and deletion protection, which that page
 * does not mention. UpdateTable takes one kind of change at a time. Tags come first, because they are visible late. DynamoDB
 * rejects enabling a stream or a time to live that is enabled, with a ValidationException.
 */
export const settingSteps = (
  target: string,
  arn: string,
  { indexes, maximum, streamViewType, timeToLive, recoverable, isProtected, tags }: TableDefinition,
): Step[] => [
  ...(tags.length > 0
    ? [
        {
          what: 'add the tags',
          sets: 'tags' as const,
          command: new TagResourceCommand({ ResourceArn: arn, Tags: [...tags] }),
        },
      ]
    : []),
  {
    what: 'set deletion protection',
    sets: 'protection',
    command: new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: isProtected }),
  },
  {
    what: 'set the maximum request units of the table and its indexes',
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
          what: 'enable the stream',
          sets: 'stream' as const,
          command: new UpdateTableCommand({
            TableName: target,
            StreamSpecification: { StreamEnabled: true, StreamViewType: streamViewType },
          }),
        },
      ]
    : []),
  {
    what: 'enable time to live',
    sets: 'timeToLive',
    command: new UpdateTimeToLiveCommand({ TableName: target, TimeToLiveSpecification: timeToLive }),
  },
  {
    what: 'enable point-in-time recovery',
    sets: 'recovery',
    command: new UpdateContinuousBackupsCommand({
      TableName: target,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: recoverable },
    }),
  },
];

/** Deletes a restored table. */
export const removalSteps = (target: string): [Step, Step] => [
  {
    what: 'remove deletion protection',
    command: new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: false }),
  },
  { what: 'delete the table', command: new DeleteTableCommand({ TableName: target }) },
];

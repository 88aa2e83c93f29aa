import { recoveryDays } from '../../cdk/config/limits.ts';
import { callOf, forward } from './dynamodb-proxy.ts';
import { pageOf } from './fake-aws.ts';
import { serve } from './http.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of DynamoDB's API
type Body = Record<string, any>;
type Call = (operation: string, body: Body) => Promise<Body>;
type Handler = (body: Body, callEngine: Call) => Body | Promise<Body>;

/** `__type` gives a response the status 400. */
const error = (name: string, message: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message,
});

/**
 * Adds point-in-time recovery, tags and maximum request units to an embedded engine. A restored table has its source's current
 * items, keys and indexes, but not the settings that AWS does not restore (API reference). As on AWS, it is not found at first,
 * then is created before its indexes; a change of a table takes a while, in which another is refused; tags are eventually
 * consistent; and enabling time to live or the stream twice is an error.
 */
export const startRestoreEmulator = async (engine: string) => {
  const recoverable = new Set<string>();
  const tags = new Map<string, Body[]>();
  const maximums = new Map<string, Body>();
  /** Table → the time to which it was restored, in seconds. */
  const moments = new Map<string, number>();
  /** Table → its remaining states, for one read each: its own, and that of its indexes. */
  const states = new Map<string, string[]>();
  /** Table name or ARN → how many more calls find no table, or no tags. */
  const late = new Map<string, number>();
  const isLate = (name: string) => {
    const times = late.get(name) ?? 0;
    late.set(name, times - 1);
    return times > 0;
  };
  const emulator = {
    /** The calls that changed a table. */
    changes: [] as [operation: string, body: Body][],
    /** A restore loses these items. */
    loses: (_: Body): boolean => false,
    /** These operations are accepted, but not executed. */
    forgets: new Set<string>(),
  };

  const handlers: Readonly<Record<string, Handler>> = {
    DescribeContinuousBackups: ({ TableName }) => {
      const now = Date.now() / 1000;
      const times = { EarliestRestorableDateTime: now - 3600, LatestRestorableDateTime: now };
      const isOn = recoverable.has(TableName) || !/-(restored|drill)-/.test(TableName);
      const details = isOn && { RecoveryPeriodInDays: recoveryDays, ...times };
      const recovery = { PointInTimeRecoveryStatus: isOn ? 'ENABLED' : 'DISABLED', ...details };
      const status = {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription: recovery,
      };
      return { ContinuousBackupsDescription: status };
    },
    UpdateContinuousBackups: ({ TableName }) => {
      if (isLate(`backups of ${TableName}`))
        return error(
          'ContinuousBackupsUnavailableException',
          'Backups are being enabled for the table',
        );
      recoverable.add(TableName);
      return {};
    },
    TagResource: ({ ResourceArn, Tags }) => {
      tags.set(ResourceArn, Tags);
      late.set(ResourceArn, 3);
      return {};
    },
    // An account can have its own tag policy. Each page has two tags.
    ListTagsOfResource: ({ ResourceArn, NextToken }) => {
      const own = isLate(ResourceArn) ? [] : (tags.get(ResourceArn) ?? []);
      const ofPolicy = ['team', 'cost-center'].map(Key => ({ Key, Value: 'shop' }));
      const [Tags, next] = pageOf([...ofPolicy, ...own], NextToken);
      return { Tags, NextToken: next };
    },
    RestoreTableToPointInTime: async (
      { SourceTableName: TableName, TargetTableName },
      callEngine,
    ) => {
      const { Table: table } = await callEngine('DescribeTable', { TableName });
      const indexOf = ({ IndexName, KeySchema, Projection }: Body) => ({
        IndexName,
        KeySchema,
        Projection,
      });
      const created = await callEngine('CreateTable', {
        TableName: TargetTableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: table.AttributeDefinitions,
        KeySchema: table.KeySchema,
        GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map(indexOf),
      });
      if (created.__type) return created;
      const { Items } = await callEngine('Scan', { TableName });
      for (const Item of Items.filter((item: Body) => !emulator.loses(item)))
        await callEngine('PutItem', { TableName: TargetTableName, Item });
      late.set(TargetTableName, 2);
      late.set(`backups of ${TargetTableName}`, 1);
      states.set(TargetTableName, ['CREATING CREATING', 'ACTIVE CREATING']);
      moments.set(TargetTableName, Date.now() / 1000);
      return created;
    },
    UpdateTimeToLive: async (body, callEngine) => {
      const { TimeToLiveDescription: present } = await callEngine('DescribeTimeToLive', body);
      return present?.TimeToLiveStatus?.startsWith('ENABL')
        ? error('ValidationException', 'TimeToLive is already enabled')
        : callEngine('UpdateTimeToLive', body);
    },
    UpdateTable: async (body, callEngine) => {
      if (body.StreamSpecification?.StreamEnabled) {
        const { Table: table } = await callEngine('DescribeTable', body);
        if (table.StreamSpecification?.StreamEnabled)
          return error(
            'ValidationException',
            `Table already has an enabled stream: TableName: ${body.TableName}`,
          );
      }
      states.set(body.TableName, ['UPDATING ACTIVE', 'UPDATING UPDATING']);
      if (!body.OnDemandThroughput) return callEngine('UpdateTable', body);
      maximums.set(body.TableName, body);
      return {};
    },
    DescribeTable: async (body, callEngine) => {
      const { TableName: name } = body;
      if (isLate(name))
        return error(
          'ResourceNotFoundException',
          `Requested resource not found: Table: ${name} not found`,
        );
      const described = await callEngine('DescribeTable', body);
      const { Table: table } = described;
      const RestoreDateTime = moments.get(name);
      if (table && RestoreDateTime)
        table.RestoreSummary = { RestoreDateTime, RestoreInProgress: false };
      const state = states.get(name)?.shift()?.split(' ');
      if (table && state) {
        table.TableStatus = state[0];
        for (const index of table.GlobalSecondaryIndexes) index.IndexStatus = state[1];
      }
      const maximum = maximums.get(name);
      if (!maximum) return described;
      table.OnDemandThroughput = maximum.OnDemandThroughput;
      for (const { Update } of maximum.GlobalSecondaryIndexUpdates)
        table.GlobalSecondaryIndexes.find(
          ({ IndexName }: Body) => IndexName === Update.IndexName,
        ).OnDemandThroughput = Update.OnDemandThroughput;
      return described;
    },
  };

  const server = await serve(async (incoming, received, response) => {
    const { operation, body } = callOf(incoming, received.toString());
    const callEngine: Call = async (name, input) => {
      const headers = { ...incoming.headers, 'x-amz-target': `DynamoDB_20120810.${name}` };
      return (await forward(engine, headers, JSON.stringify(input))).body;
    };
    const handle = handlers[operation] ?? (() => callEngine(operation, body));
    const isRefused = operation.startsWith('Update') && states.get(body.TableName)?.length;
    const change = () => (emulator.forgets.has(operation) ? {} : handle(body, callEngine));
    const result = isRefused
      ? error('ResourceInUseException', `${body.TableName} is changing`)
      : await change();
    const isDone = !('__type' in result);
    if (isDone && /^(Update|Restore|Delete|Tag)/.test(operation))
      emulator.changes.push([operation, body]);
    response.writeHead(isDone ? 200 : 400, { 'Content-Type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(result));
  });
  return Object.assign(emulator, server);
};

export type RestoreEmulator = Awaited<ReturnType<typeof startRestoreEmulator>>;

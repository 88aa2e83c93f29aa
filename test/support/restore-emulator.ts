import { recoveryDays } from '../../cdk/config/limits.ts';
import { awsJson, errorBody, pageOf, resultOf } from './aws-json.ts';
import { startForwarder } from './forwarder.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of DynamoDB's API
type Body = Record<string, any>;
type CallEngine = (operation: string, body: Body) => Promise<Body>;
type Handlers = Readonly<
  Record<string, (body: Body, callEngine: CallEngine) => Body | Promise<Body>>
>;

const error = (name: string, message: string) => errorBody(name, { message });

/** What the engine does not know of a table. */
const newTable = () => ({
  hasRecovery: false,
  tags: [] as Body[],
  maximums: undefined as Body | undefined,
  /** The time to which it was restored, in seconds. */
  restoredAt: undefined as number | undefined,
  /** Its remaining states, for one read each: its own, and that of its indexes. */
  states: [] as string[],
  /** How many more calls do not find it, its backups or its tags. */
  late: { table: 0, backups: 0, tags: 0 },
});
type TableOf = (name: string) => ReturnType<typeof newTable>;

const settings = (tableOf: TableOf): Handlers => ({
  DescribeContinuousBackups: ({ TableName }) => {
    const now = Date.now() / 1000;
    const times = { EarliestRestorableDateTime: now - 3600, LatestRestorableDateTime: now };
    const isOn = tableOf(TableName).hasRecovery || !/-(restored|drill)-/.test(TableName);
    const details = isOn && { RecoveryPeriodInDays: recoveryDays, ...times };
    const PointInTimeRecoveryDescription = {
      PointInTimeRecoveryStatus: isOn ? 'ENABLED' : 'DISABLED',
      ...details,
    };
    const status = { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription };
    return { ContinuousBackupsDescription: status };
  },
  UpdateContinuousBackups: ({ TableName }) => {
    const table = tableOf(TableName);
    if (table.late.backups-- > 0)
      return error(
        'ContinuousBackupsUnavailableException',
        'Backups are being enabled for the table',
      );
    table.hasRecovery = true;
    return {};
  },
  TagResource: ({ ResourceArn, Tags }) => {
    const table = tableOf(ResourceArn);
    table.tags = Tags;
    table.late.tags = 3;
    return {};
  },
  // An account can have its own tag policy. Each page has two tags.
  ListTagsOfResource: ({ ResourceArn, NextToken: token }) => {
    const table = tableOf(ResourceArn);
    const own = table.late.tags-- > 0 ? [] : table.tags;
    const ofPolicy = ['team', 'cost-center'].map(Key => ({ Key, Value: 'shop' }));
    const [Tags, NextToken] = pageOf([...ofPolicy, ...own], token);
    return { Tags, NextToken };
  },
  UpdateTimeToLive: async (body, callEngine) => {
    const { TimeToLiveDescription: current } = await callEngine('DescribeTimeToLive', body);
    return current?.TimeToLiveStatus?.startsWith('ENABL')
      ? error('ValidationException', 'TimeToLive is already enabled')
      : callEngine('UpdateTimeToLive', body);
  },
});

const tables = (tableOf: TableOf, loses: (item: Body) => boolean): Handlers => ({
  RestoreTableToPointInTime: async (body, callEngine) => {
    const { SourceTableName: TableName, TargetTableName: target } = body;
    const { Table: source } = await callEngine('DescribeTable', { TableName });
    const created = await callEngine('CreateTable', {
      TableName: target,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: source.AttributeDefinitions,
      KeySchema: source.KeySchema,
      GlobalSecondaryIndexes: source.GlobalSecondaryIndexes.map(
        ({ IndexName, KeySchema, Projection }: Body) => ({ IndexName, KeySchema, Projection }),
      ),
    });
    if (created.__type) return created;
    const { Items } = await callEngine('Scan', { TableName });
    for (const Item of Items.filter((item: Body) => !loses(item)))
      await callEngine('PutItem', { TableName: target, Item });
    Object.assign(tableOf(target), {
      restoredAt: Date.now() / 1000,
      states: ['CREATING CREATING', 'ACTIVE CREATING'],
      late: { table: 2, backups: 1, tags: 0 },
    });
    return created;
  },
  UpdateTable: async (body, callEngine) => {
    const { TableName, StreamSpecification, OnDemandThroughput } = body;
    if (StreamSpecification?.StreamEnabled) {
      const { Table: current } = await callEngine('DescribeTable', body);
      if (current.StreamSpecification?.StreamEnabled)
        return error(
          'ValidationException',
          `Table already has an enabled stream: TableName: ${TableName}`,
        );
    }
    const table = tableOf(TableName);
    table.states = ['UPDATING ACTIVE', 'UPDATING UPDATING'];
    if (!OnDemandThroughput) return callEngine('UpdateTable', body);
    table.maximums = body;
    return {};
  },
  DescribeTable: async ({ TableName }, callEngine) => {
    const { late, restoredAt, states, maximums } = tableOf(TableName);
    if (late.table-- > 0)
      return error(
        'ResourceNotFoundException',
        `Requested resource not found: Table: ${TableName} not found`,
      );
    const described = await callEngine('DescribeTable', { TableName });
    const { Table: table } = described;
    if (!table) return described;
    if (restoredAt)
      table.RestoreSummary = { RestoreDateTime: restoredAt, RestoreInProgress: false };
    const [ofTable, ofIndexes] = states.shift()?.split(' ') ?? [];
    if (ofTable) table.TableStatus = ofTable;
    if (ofIndexes) for (const index of table.GlobalSecondaryIndexes) index.IndexStatus = ofIndexes;
    if (maximums) table.OnDemandThroughput = maximums.OnDemandThroughput;
    for (const { Update } of maximums?.GlobalSecondaryIndexUpdates ?? [])
      table.GlobalSecondaryIndexes.find(
        ({ IndexName }: Body) => IndexName === Update.IndexName,
      ).OnDemandThroughput = Update.OnDemandThroughput;
    return described;
  },
});

/**
 * Adds point-in-time recovery, tags and maximum request units to an embedded engine. A restored table has its source's current
 * items, keys and indexes, but not the settings that AWS does not restore (API reference). As on AWS, it is not found at first,
 * then is created before its indexes; a change of a table takes a while, in which another is refused; tags are eventually
 * consistent; and enabling time to live or the stream twice is an error.
 */
export const startRestoreEmulator = async (engine: string) => {
  const emulator = {
    /** The calls that changed a table. */
    changes: [] as [operation: string, body: Body][],
    /** A restore loses these items. */
    loses: (_: Body): boolean => false,
    /** These operations are accepted, but not executed. */
    forgets: new Set<string>(),
  };
  const known = new Map<string, ReturnType<typeof newTable>>();
  /** @param name or ARN */
  const tableOf: TableOf = name => {
    const key = name.split('/').at(-1)!;
    known.set(key, known.get(key) ?? newTable());
    return known.get(key)!;
  };
  const handlers = { ...settings(tableOf), ...tables(tableOf, item => emulator.loses(item)) };
  const request = awsJson(async ({ operation, body }, execute) => {
    const handle = handlers[operation];
    if (operation.startsWith('Update') && tableOf(body.TableName).states.length > 0)
      return resultOf(error('ResourceInUseException', `${body.TableName} is changing`));
    const callEngine: CallEngine = async (...call) => (await execute(...call)).body;
    const output = emulator.forgets.has(operation) ? {} : handle?.(body, callEngine);
    const result = output ? resultOf(await output) : await execute();
    if (result.status === 200 && /^(Update|Restore|Delete|Tag)/.test(operation))
      emulator.changes.push([operation, body]);
    return result;
  });
  return Object.assign(emulator, await startForwarder(engine, { request }));
};

export type RestoreEmulator = Awaited<ReturnType<typeof startRestoreEmulator>>;

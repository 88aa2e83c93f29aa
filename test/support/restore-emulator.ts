import { awsJson, errorBody, pageOf, resultOf } from './aws-json.ts';
import { startForwarder } from './forwarder.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of DynamoDB's API
type Body = Record<string, any>;

/** What the engine does not know of a table. */
const newTable = () => ({
  tags: [] as Body[],
  recovery: undefined as Body | undefined,
  maximums: undefined as Body | undefined,
  /** The time to which it was restored, in seconds. */
  restoredAt: undefined as number | undefined,
  /** Its remaining states, for one read each: its own, and that of its indexes. */
  states: [] as string[],
  /** How many more calls do not find it, its backups or its tags. */
  late: { table: 0, backups: 0, tags: 0 },
});

interface Context {
  /** Of the call. */
  readonly table: ReturnType<typeof newTable>;
  readonly callEngine: (operation: string, body: Body) => Promise<Body>;
  readonly loses: (item: Body) => boolean;
}

const handlers: Readonly<Record<string, (body: Body, context: Context) => Body | Promise<Body>>> = {
  DescribeContinuousBackups: (_, { table: { recovery: PointInTimeRecoveryDescription } }) => ({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription,
    },
  }),
  UpdateContinuousBackups: ({ PointInTimeRecoverySpecification: wanted }, { table }) => {
    if (table.late.backups-- > 0)
      return errorBody(
        'ContinuousBackupsUnavailableException',
        'Backups are being enabled for the table',
      );
    const { RecoveryPeriodInDays } = wanted;
    table.recovery = { PointInTimeRecoveryStatus: 'ENABLED', RecoveryPeriodInDays };
    return {};
  },
  TagResource: ({ Tags }, { table }) => {
    table.tags = Tags;
    table.late.tags = 3;
    return {};
  },
  // An account can have its own tag policy. Each page has two tags.
  ListTagsOfResource: ({ NextToken: token }, { table }) => {
    const own = table.late.tags-- > 0 ? [] : table.tags;
    const ofPolicy = ['team', 'cost-center'].map(Key => ({ Key, Value: 'shop' }));
    const [Tags, NextToken] = pageOf([...ofPolicy, ...own], token);
    return { Tags, NextToken };
  },
  RestoreTableToPointInTime: async (body, { table, callEngine, loses }) => {
    const { SourceTableName, TargetTableName: TableName } = body;
    const { Table: source } = await callEngine('DescribeTable', { TableName: SourceTableName });
    const { AttributeDefinitions, KeySchema } = source;
    const GlobalSecondaryIndexes = source.GlobalSecondaryIndexes.map(
      ({ IndexName, KeySchema, Projection }: Body) => ({ IndexName, KeySchema, Projection }),
    );
    const keys = { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes };
    const created = await callEngine('CreateTable', {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      ...keys,
    });
    if (created.__type) return created;
    const { Items } = await callEngine('Scan', { TableName: SourceTableName });
    for (const Item of Items.filter((item: Body) => !loses(item)))
      await callEngine('PutItem', { TableName, Item });
    table.late = { table: 2, backups: 1, tags: 0 };
    table.states = ['CREATING CREATING', 'ACTIVE CREATING'];
    table.restoredAt = Date.now() / 1000;
    return created;
  },
  UpdateTimeToLive: async (body, { callEngine }) => {
    const { TimeToLiveDescription: current } = await callEngine('DescribeTimeToLive', body);
    return current?.TimeToLiveStatus?.startsWith('ENABL')
      ? errorBody('ValidationException', 'TimeToLive is already enabled')
      : callEngine('UpdateTimeToLive', body);
  },
  UpdateTable: async (body, { table, callEngine }) => {
    if (body.StreamSpecification?.StreamEnabled) {
      const { Table: current } = await callEngine('DescribeTable', body);
      if (current.StreamSpecification?.StreamEnabled)
        return errorBody('ValidationException', 'Table already has an enabled stream');
    }
    table.states = ['UPDATING ACTIVE', 'UPDATING UPDATING'];
    if (!body.OnDemandThroughput) return callEngine('UpdateTable', body);
    table.maximums = body;
    return {};
  },
  DescribeTable: async (body, { table: { late, restoredAt, states, maximums }, callEngine }) => {
    if (late.table-- > 0)
      return errorBody('ResourceNotFoundException', 'Requested resource not found');
    const described = await callEngine('DescribeTable', body);
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
};

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
  const tables = new Map<string, ReturnType<typeof newTable>>();
  const request = awsJson(async ({ operation, body }, execute) => {
    const { TargetTableName, TableName = TargetTableName, ResourceArn = TableName } = body;
    const name = `${ResourceArn}`.split('/').at(-1)!;
    const table = tables.get(name) ?? newTable();
    tables.set(name, table);
    if (operation.startsWith('Update') && table.states.length > 0)
      return resultOf(errorBody('ResourceInUseException', `${name} is changing`));
    const callEngine: Context['callEngine'] = async (...call) => (await execute(...call)).body;
    const output = emulator.forgets.has(operation)
      ? {}
      : handlers[operation]?.(body, { table, callEngine, loses: emulator.loses });
    const result = output ? resultOf(await output) : await execute();
    if (result.status === 200 && /^(Update|Restore|Delete|Tag)/.test(operation))
      emulator.changes.push([operation, body]);
    return result;
  });
  return Object.assign(emulator, await startForwarder(engine, { request }));
};

import { recoveryDays } from '../../cdk/config/limits.ts';
import { callOf } from './dynamodb-proxy.ts';
import { send, serve, type TestServer } from './http.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of DynamoDB's API
type Body = Record<string, any>;

export interface RestoreEmulator extends TestServer {
  /** The calls that change a table, in order. */
  readonly changes: [operation: string, body: Body][];
  /** Whether a restore loses an item: an injected fault. */
  loses: (item: Body) => boolean;
  /** Operations that it accepts without executing them: an injected fault. */
  readonly forgets: Set<string>;
}

/**
 * A proxy that adds point-in-time recovery to an embedded engine. A restored table has the current items, keys and indexes,
 * and none of the settings that a restore does not copy (API reference). The proxy also emulates tags and maximum request
 * units; all other calls go to the engine. As on AWS, a new table is not found at first, tags are eventually consistent, and
 * a setting that is already enabled is rejected.
 */
export const startRestoreEmulator = async (engine: string): Promise<RestoreEmulator> => {
  const recoverable = new Set<string>();
  const tags = new Map<string, Body[]>();
  const maximums = new Map<string, Body>();
  /** When a table was restored, in seconds. */
  const moments = new Map<string, number>();
  const changes: RestoreEmulator['changes'] = [];
  const forgets = new Set<string>();
  /** Table name or ARN → how many more calls do not find the table, or return no tags. */
  const late = new Map<string, number>();
  const isLate = (name: string) => {
    const times = late.get(name) ?? 0;
    late.set(name, times - 1);
    return times > 0;
  };
  const errorResponse = (name: string, message: string) => ({
    status: 400,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message },
  });
  const self = { loses: (_: Body): boolean => false };

  const callEngine = async (operation: string, body: Body): Promise<{ status: number; body: Body }> => {
    const response = await send(engine, {
      method: 'POST',
      headers: {
        'X-Amz-Date': '20260101T000000Z',
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `DynamoDB_20120810.${operation}`,
        Authorization:
          'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(response.body.toString()) as Body };
  };

  const restore = async ({ SourceTableName: TableName, TargetTableName }: Body) => {
    const { Table: table } = (await callEngine('DescribeTable', { TableName })).body;
    const created = await callEngine('CreateTable', {
      TableName: TargetTableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: table.AttributeDefinitions,
      KeySchema: table.KeySchema,
      GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: Body) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    });
    if (created.status !== 200) return created;
    const { Items } = (await callEngine('Scan', { TableName })).body;
    for (const Item of Items.filter((item: Body) => !self.loses(item)))
      await callEngine('PutItem', { TableName: TargetTableName, Item });
    late.set(TargetTableName, 2);
    moments.set(TargetTableName, Date.now() / 1000);
    return created;
  };

  const handlers: Record<string, (body: Body) => Body | Promise<{ status: number; body: Body }>> = {
    DescribeContinuousBackups: ({ TableName }) => ({
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription:
          recoverable.has(TableName) || !/-(restored|drill)-/.test(TableName)
            ? {
                PointInTimeRecoveryStatus: 'ENABLED',
                RecoveryPeriodInDays: recoveryDays,
                EarliestRestorableDateTime: Date.now() / 1000 - 3600,
                LatestRestorableDateTime: Date.now() / 1000,
              }
            : { PointInTimeRecoveryStatus: 'DISABLED' },
      },
    }),
    UpdateContinuousBackups: ({ TableName }) => {
      recoverable.add(TableName);
      return {};
    },
    TagResource: ({ ResourceArn, Tags }) => {
      tags.set(ResourceArn, Tags);
      late.set(ResourceArn, 3);
      return {};
    },
    ListTagsOfResource: ({ ResourceArn }) => ({ Tags: isLate(ResourceArn) ? [] : (tags.get(ResourceArn) ?? []) }),
    RestoreTableToPointInTime: restore,
    UpdateTimeToLive: async body => {
      const { TimeToLiveDescription: present } = (await callEngine('DescribeTimeToLive', body)).body;
      const isOn = present?.TimeToLiveStatus?.startsWith('ENABL');
      return isOn
        ? errorResponse('ValidationException', 'TimeToLive is already enabled')
        : callEngine('UpdateTimeToLive', body);
    },
    UpdateTable: async body => {
      if (body.StreamSpecification?.StreamEnabled) {
        const { Table: table } = (await callEngine('DescribeTable', body)).body;
        if (table.StreamSpecification?.StreamEnabled)
          return errorResponse(
            'ValidationException',
            `Table already has an enabled stream: TableName: ${body.TableName}`,
          );
      }
      if (!body.OnDemandThroughput) return callEngine('UpdateTable', body);
      maximums.set(body.TableName, body);
      return {};
    },
    DescribeTable: async body => {
      if (isLate(body.TableName))
        return errorResponse(
          'ResourceNotFoundException',
          `Requested resource not found: Table: ${body.TableName} not found`,
        );
      const described = await callEngine('DescribeTable', body);
      const { Table: table } = described.body;
      const restoredAt = moments.get(body.TableName);
      if (table && restoredAt) table.RestoreSummary = { RestoreDateTime: restoredAt, RestoreInProgress: false };
      const maximum = maximums.get(body.TableName);
      if (!maximum) return described;
      table.OnDemandThroughput = maximum.OnDemandThroughput;
      for (const { Update } of maximum.GlobalSecondaryIndexUpdates)
        table.GlobalSecondaryIndexes.find(({ IndexName }: Body) => IndexName === Update.IndexName).OnDemandThroughput =
          Update.OnDemandThroughput;
      return described;
    },
  };

  const server = await serve(async (incoming, received, response) => {
    const { operation, body } = callOf(incoming, received.toString());
    if (/^(Update|Restore|Delete|Tag)/.test(operation)) changes.push([operation, body]);
    const result = forgets.has(operation)
      ? {}
      : await (handlers[operation] ?? (() => callEngine(operation, body)))(body);
    const { status, body: text } =
      'status' in result ? (result as { status: number; body: Body }) : { status: 200, body: result };
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(text));
  });
  return Object.assign(self, { ...server, changes, forgets });
};

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: bodies of DynamoDB's API
type Body = Record<string, any>;

export interface RestoringEngine {
  readonly url: string;
  /** The calls that change a table, in their order. */
  readonly changes: [operation: string, body: Body][];
  /** Whether a restore loses an item. */
  loses: (item: Body) => boolean;
  /** Operations that it answers and does not carry out. */
  readonly forgets: Set<string>;
  readonly stop: () => Promise<void>;
}

/**
 * An engine that restores, as the embedded ones do not: the restored table has the items of now, keys and indexes, and
 * nothing of what the API reference says is forgotten. What else they lack (recovery, tags, maximum units) is kept here; all
 * other calls go to the engine. As AWS does, it does not find a table at first that it restores, shows tags late, and refuses
 * to switch on what is on.
 */
export const startRestoringEngine = async (engine: string): Promise<RestoringEngine> => {
  const recoverable = new Set<string>();
  const tags = new Map<string, Body[]>();
  const maximums = new Map<string, Body>();
  const changes: RestoringEngine['changes'] = [];
  const forgets = new Set<string>();
  /** Name of a table, or its ARN → how often it is not found yet, or shows no tags. */
  const late = new Map<string, number>();
  const isLate = (name: string) => {
    const times = late.get(name) ?? 0;
    late.set(name, times - 1);
    return times > 0;
  };
  const refusal = (name: string, message: string) => ({
    status: 400,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message },
  });
  const self = { loses: (_: Body): boolean => false };

  const ask = async (operation: string, body: Body): Promise<{ status: number; body: Body }> => {
    const answer = await fetch(engine, {
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
    return { status: answer.status, body: (await answer.json()) as Body };
  };

  const restore = async ({ SourceTableArn, TargetTableName }: Body) => {
    const TableName = SourceTableArn.split('/').at(-1);
    const { Table: table } = (await ask('DescribeTable', { TableName })).body;
    const created = await ask('CreateTable', {
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
    const { Items } = (await ask('Scan', { TableName })).body;
    for (const Item of Items.filter((item: Body) => !self.loses(item)))
      await ask('PutItem', { TableName: TargetTableName, Item });
    late.set(TargetTableName, 2);
    return created;
  };

  const answers: Record<string, (body: Body) => Body | Promise<{ status: number; body: Body }>> = {
    DescribeContinuousBackups: ({ TableName }) => ({
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription:
          recoverable.has(TableName) || !TableName.includes('restored')
            ? {
                PointInTimeRecoveryStatus: 'ENABLED',
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
      const { TimeToLiveDescription: present } = (await ask('DescribeTimeToLive', body)).body;
      const isOn = present?.TimeToLiveStatus?.startsWith('ENABL');
      return isOn ? refusal('ValidationException', 'TimeToLive is already enabled') : ask('UpdateTimeToLive', body);
    },
    UpdateTable: async body => {
      if (body.StreamSpecification?.StreamEnabled) {
        const { Table: table } = (await ask('DescribeTable', body)).body;
        if (table.StreamSpecification?.StreamEnabled)
          return refusal('ValidationException', `Table already has an enabled stream: TableName: ${body.TableName}`);
      }
      if (!body.OnDemandThroughput) return ask('UpdateTable', body);
      maximums.set(body.TableName, body);
      return {};
    },
    DescribeTable: async body => {
      if (isLate(body.TableName))
        return refusal('ResourceNotFoundException', `Requested resource not found: Table: ${body.TableName} not found`);
      const answer = await ask('DescribeTable', body);
      const maximum = maximums.get(body.TableName);
      if (!maximum) return answer;
      const { Table: table } = answer.body;
      table.OnDemandThroughput = maximum.OnDemandThroughput;
      for (const { Update } of maximum.GlobalSecondaryIndexUpdates)
        table.GlobalSecondaryIndexes.find(({ IndexName }: Body) => IndexName === Update.IndexName).OnDemandThroughput =
          Update.OnDemandThroughput;
      return answer;
    },
  };

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1]!;
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (/^(Update|Restore|Delete|Tag)/.test(operation)) changes.push([operation, body]);
    const answer = forgets.has(operation) ? {} : await (answers[operation] ?? (() => ask(operation, body)))(body);
    const { status, body: text } =
      'status' in answer ? (answer as { status: number; body: Body }) : { status: 200, body: answer };
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(self, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes,
    forgets,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
};

import https from 'node:https';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsClient } from '../../aws/aws-client.ts';
import { text } from '../../command.ts';
import { type Given, openStage, stageOptions, stageUsage } from './stage.ts';

export const tableOptions = { ...stageOptions, table: text };

export const tableUsage = `${stageUsage}
  --table NAME     another table than that of the stage, such as a restored copy`;

/** Retries more than usual: a table throttles above its maximum request units, and a command can wait. */
export const dynamoDbClient = () => awsClient(DynamoDBClient, { maxAttempts: 10 });

/** `shards` is the number of shards of every index partition. */
export const openTable = async ({ table, ...named }: Given<typeof tableOptions>) => {
  const { output } = await openStage(named);
  return {
    client: dynamoDbClient(),
    name: table ?? output('TableName'),
    shards: Number(output('IndexShards')),
  };
};

/** Import lib/model after this call, because it reads the environment when it is first imported. */
export const useModel = async ({ name, client, shards }: Awaited<ReturnType<typeof openTable>>) => {
  // The endpoint that the SDK calls: the region, AWS_ENDPOINT_URL or the profile determines it.
  let endpoint = '';
  client.middlewareStack.add(
    next => args => {
      const { protocol, hostname, port } = args.request as {
        protocol: string;
        hostname: string;
        port?: number;
      };
      endpoint = `${protocol}//${hostname}${port ? `:${port}` : ''}`;
      return next(args);
    },
    { step: 'finalizeRequest' },
  );
  await client.send(new DescribeTableCommand({ TableName: name }));
  const region = await client.config.region();
  const { transports } = await import('../../../lib/aws/request-handler.ts');
  transports['https:'].agent = https.globalAgent; // which uses a proxy
  Object.assign(process.env, {
    TABLE_NAME: name,
    DYNAMODB_ENDPOINT: endpoint,
    INDEX_SHARDS: String(shards),
    AWS_REGION: region,
  });
};

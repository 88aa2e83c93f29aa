import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { openStage, stageOptions, stageUsage } from './stage.ts';

/** The table that a command works on. */
export interface StageTable {
  readonly client: DynamoDBClient;
  readonly name: string;
  /** Of every index partition. */
  readonly shards: number;
}

/** Options that name a table, for `readOptions`. */
export const tableOptions = { ...stageOptions, table: { type: 'string' } } as const;
type TableOptions = { readonly [Name in keyof typeof tableOptions]?: string | undefined };

export const tableUsage = `${stageUsage}
  --table NAME     another table than that of the stage, such as a restored copy`;

/** A table throttles beyond its maximum request units, and a command can wait. */
export const dynamoDbClient = () => new DynamoDBClient({ maxAttempts: 10 });

/** Connects to the table. @throws {UsageError} */
export const openTable = async ({ table, ...named }: TableOptions): Promise<StageTable> => {
  const { output } = await openStage(named);
  return { client: dynamoDbClient(), name: table ?? output('TableName'), shards: Number(output('IndexShards')) };
};

/** Lets the model in lib/ work on the table. The model reads the environment when it is first imported: import it later. */
export const useModel = async ({ name, client, shards }: StageTable): Promise<void> => {
  // The endpoint of the SDK's own call: of the region, of AWS_ENDPOINT_URL or of the profile.
  let endpoint = '';
  client.middlewareStack.add(
    next => args => {
      const { protocol, hostname, port } = args.request as { protocol: string; hostname: string; port?: number };
      endpoint = `${protocol}//${hostname}${port ? `:${port}` : ''}`;
      return next(args);
    },
    { step: 'finalizeRequest' },
  );
  await client.send(new DescribeTableCommand({ TableName: name }));
  const region = await client.config.region();
  Object.assign(process.env, {
    TABLE_NAME: name,
    DYNAMODB_ENDPOINT: endpoint,
    INDEX_SHARDS: String(shards),
    AWS_REGION: region,
  });
};

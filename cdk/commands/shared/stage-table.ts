import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { UsageError } from './command.ts';
import { openStage, stageOptions, stageUsage, useAccount } from './stage.ts';

/** The table that a command works on. */
export interface StageTable {
  readonly client: DynamoDBClient;
  readonly name: string;
  /** Of every index partition. */
  readonly shards: number;
}

/** Options that name a table, for `readOptions`. */
export const tableOptions = { ...stageOptions, table: { type: 'string' }, shards: { type: 'string' } } as const;
type TableOptions = { readonly [Name in keyof typeof tableOptions]?: string | undefined };

export const tableUsage = `${stageUsage}
  --table NAME     a table without a stack, such as a restored copy; beside --stage or --local another table there
  --shards N       index shards of that table (default: those of the stage)`;

/** A table throttles beyond its maximum request units, and a command can wait. */
export const dynamoDbClient = () => new DynamoDBClient({ maxAttempts: 10 });

/** Connects to the table. @throws {UsageError} */
export const openTable = async ({ table, shards, ...named }: TableOptions): Promise<StageTable> => {
  if (shards !== undefined && !/^[1-9]\d{0,2}$/.test(shards))
    throw new UsageError(`--shards ${shards} is not a number from 1 to 999.`);
  if (named.stage === undefined && named.local === undefined) {
    if (table === undefined) throw new UsageError('Which table? --stage NAME, --local URL or --table NAME');
    // With too few shards the index would not return all orders.
    if (shards === undefined) throw new UsageError('How many index shards has the table? --shards N, or --stage NAME');
    useAccount(named);
    return { client: dynamoDbClient(), name: table, shards: Number(shards) };
  }
  const stage = await openStage(named);
  const name = table ?? stage.output('TableName');
  return { client: dynamoDbClient(), name, shards: Number(shards ?? stage.output('IndexShards')) };
};

/** Lets the model in lib/ work on the table. The model reads the environment when it is first imported: import it later. */
export const useModel = async ({ name, client, shards }: StageTable): Promise<void> => {
  const region = await client.config.region();
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  Object.assign(process.env, {
    TABLE_NAME: name,
    DYNAMODB_ENDPOINT: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? `https://dynamodb.${region}.${suffix}`,
    INDEX_SHARDS: String(shards),
    AWS_REGION: region,
  });
};

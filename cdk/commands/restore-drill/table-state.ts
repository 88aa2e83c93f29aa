import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  type TableDescription,
  type Tag,
} from '@aws-sdk/client-dynamodb';

/** The state of a table, as DynamoDB describes it. */
export interface TableState {
  readonly table: TableDescription;
  /** Undefined: time to live is off. */
  readonly timeToLiveAttribute: string | undefined;
  readonly recoverable: boolean;
  readonly tags: readonly Tag[];
}

/** Undefined: there is no such table, or not yet. */
export const describeTable = async (
  client: DynamoDBClient,
  TableName: string,
): Promise<TableDescription | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

export const readTableState = async (client: DynamoDBClient, table: TableDescription): Promise<TableState> => {
  const { TableName, TableArn } = table;
  const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const { Tags: tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: TableArn }));
  const isEnabled = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
  return {
    table,
    timeToLiveAttribute: isEnabled ? ttl.AttributeName : undefined,
    recoverable: backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED',
    tags,
  };
};

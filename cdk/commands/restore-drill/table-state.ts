import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  type TableDescription,
  type Tag,
} from '@aws-sdk/client-dynamodb';

/** What DynamoDB says of a table. */
export interface Found {
  readonly table: TableDescription;
  /** The attribute by which items die; absent: none do. */
  readonly diesBy: string | undefined;
  readonly recoverable: boolean;
  readonly tags: readonly Tag[];
}

/** A table by its name; undefined: there is none, or none yet. */
export const describe = async (client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

export const look = async (client: DynamoDBClient, table: TableDescription): Promise<Found> => {
  const { TableName, TableArn } = table;
  const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const { Tags: tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: TableArn }));
  const isDying = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
  return {
    table,
    diesBy: isDying ? ttl.AttributeName : undefined,
    recoverable: backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED',
    tags,
  };
};

import { DynamoDBClient, GetItemCommand, type GetItemCommandInput } from '@aws-sdk/client-dynamodb';

/** The baseline of reads: the AWS SDK with one GetItem. */
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT! });

export const handler = async ({ Key }: Pick<GetItemCommandInput, 'Key'>) => {
  const { Item } = await client.send(
    new GetItemCommand({ TableName: process.env.TABLE_NAME, Key, ConsistentRead: true }),
  );
  return { statusCode: Item ? 200 : 404 };
};

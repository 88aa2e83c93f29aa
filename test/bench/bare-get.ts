import { DynamoDBClient, GetItemCommand, type GetItemCommandInput } from '@aws-sdk/client-dynamodb';

/** The baseline of reads: the AWS SDK with one GetItem. */
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT! });

export const handler = async ({ Key }: Pick<GetItemCommandInput, 'Key'>) => {
  const input = { TableName: process.env.TABLE_NAME, Key, ConsistentRead: true };
  const { Item } = await client.send(new GetItemCommand(input));
  return { statusCode: Item ? 200 : 404 };
};

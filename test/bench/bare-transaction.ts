import { randomUUID } from 'node:crypto';
import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';

/** The measure of what writes: the AWS SDK alone, for one transaction that creates an item and takes a unit from another. */
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT! });
const TableName = process.env.TABLE_NAME!;

export const handler = async () => {
  const put = {
    ...{ TableName, Item: { pk: { S: `RAW#${randomUUID()}` }, sk: { S: 'RAW' } } },
    ConditionExpression: 'attribute_not_exists(pk)',
  };
  const update = {
    ...{ TableName, Key: { pk: { S: 'PET#1' }, sk: { S: 'PET' } } },
    ...{ UpdateExpression: 'ADD #free :less', ConditionExpression: '#free > :none' },
    ExpressionAttributeNames: { '#free': 'free' },
    ExpressionAttributeValues: { ':less': { N: '-1' }, ':none': { N: '0' } },
  };
  const TransactItems = [{ Put: put }, { Update: update }];
  await client.send(new TransactWriteItemsCommand({ ClientRequestToken: randomUUID(), TransactItems }));
  return { statusCode: 201 };
};

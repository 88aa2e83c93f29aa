import { randomInt, randomUUID } from 'node:crypto';
import {
  DynamoDBClient,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';

/** The baseline of writes: the AWS SDK with the event's transaction, which puts a new order. */
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT! });

export const handler = async ({ TransactItems }: { TransactItems: TransactWriteItem[] }) => {
  Object.assign(TransactItems[0]!.Put!.Item!, { pk: { S: `ORDER#${randomInt(2 ** 47)}` } });
  const sent = {
    ClientRequestToken: randomUUID(),
    TransactItems,
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  await client.send(new TransactWriteItemsCommand(sent));
  return { statusCode: 201 };
};

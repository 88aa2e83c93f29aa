import { randomInt, randomUUID } from 'node:crypto';
import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';

/** The baseline of writes: the AWS SDK with a transaction of the same size as in placeOrder. */
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT! });
const TableName = process.env.TABLE_NAME!;

export const handler = async () => {
  const id = String(randomInt(2 ** 47));
  const indexKeys = {
    all: { S: 'ORDERS#0' },
    byState: { S: 'ORDERS#open#0' },
    byGroup: { S: 'OWNER#raw#ORDERS#0' },
    byGroupAndState: { S: 'OWNER#raw#ORDERS#open#0' },
    byPet: { S: 'PET#1#ORDERS#0' },
    byPetAndState: { S: 'PET#1#ORDERS#open#0' },
  };
  const order = {
    id: { N: id },
    petId: { N: '1' },
    quantity: { N: '1' },
    complete: { BOOL: false },
    ownerId: { S: 'raw' },
    clientId: { S: 'raw' },
    version: { N: '1' },
  };
  const put = {
    TableName,
    Item: { pk: { S: `ORDER#${id}` }, sk: { S: 'ORDER' }, ...indexKeys, ...order },
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  const update = {
    TableName,
    Key: { pk: { S: 'PET#1' }, sk: { S: 'PET' } },
    UpdateExpression: 'ADD #availableQuantity :less, #reservedQuantity :one',
    ConditionExpression: '#availableQuantity > :one AND #status = :open',
    ExpressionAttributeNames: {
      '#availableQuantity': 'availableQuantity',
      '#reservedQuantity': 'reservedQuantity',
      '#status': 'status',
    },
    ExpressionAttributeValues: { ':less': { N: '-1' }, ':one': { N: '1' }, ':open': { S: 'available' } },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  const TransactItems = [{ Put: put }, { Update: update }];
  const sent = { ClientRequestToken: randomUUID(), TransactItems, ReturnConsumedCapacity: 'TOTAL' } as const;
  await client.send(new TransactWriteItemsCommand(sent));
  return { statusCode: 201 };
};

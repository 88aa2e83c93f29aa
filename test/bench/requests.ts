import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { storedCategory } from '../../lib/model/category-item.ts';
import { storedOrder } from '../../lib/model/order-item.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';

const pet = { ...newPetItem(1, { name: 'Tom', categoryId: 1, status: 'available' }), availableQuantity: 1_000_000 };
const order = { id: 1, petId: 2, quantity: 1, complete: false, ownerId: 'bench', clientId: 'bench', version: 1 };
/** What the requests use: a pet with units for every order, its category, one without pets, and an order of another pet. */
const items = [
  storedPet(pet),
  storedPet({ ...pet, id: 2, reservedQuantity: 1 }),
  { ...storedCategory({ id: 1, name: 'Cats' }), petCount: 2 },
  storedCategory({ id: 2, name: 'Dogs' }),
  storedOrder(order),
];

/** Restores what the requests use. */
export const putItems = async (client: DynamoDBClient, tableName: string) => {
  for (const item of items)
    await client.send(new PutItemCommand({ TableName: tableName, Item: marshall({ ...item, writeCount: 1 }) }));
};

/** A transaction of the same size as in placeOrder, for bare-transaction.ts. */
export const bareTransaction = (TableName: string) => {
  const { pk, sk } = marshall(items[0]!);
  const put = {
    TableName,
    Item: marshall(storedOrder({ ...order, petId: 1 })),
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const update = {
    TableName,
    Key: { pk, sk },
    UpdateExpression: 'ADD #available :less, #reserved :one',
    ConditionExpression: '#available > :one AND #status = :open',
    ExpressionAttributeNames: {
      '#available': 'availableQuantity',
      '#reserved': 'reservedQuantity',
      '#status': 'status',
    },
    ExpressionAttributeValues: marshall({ ':less': -1, ':one': 1, ':open': 'available' }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  return { TransactItems: [{ Put: put }, { Update: update }] };
};

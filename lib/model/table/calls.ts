import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { environment } from '../../environment.ts';
import { requestContext } from '../../request-context.ts';
import { UnprocessedKeys } from './classify-error.ts';
import { client } from './client.ts';
import { type IndexKey, readFrom } from './indexes.ts';
import { type Attempt, retry } from './retry.ts';

/** A stored item. The model casts it to the type of its kind, without a check. */
// biome-ignore lint/suspicious/noExplicitAny: the document client's own type for an item
export type Item = Record<string, any>;
export type Key = { pk: string; sk: string };
export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export const { tableName } = environment;

type Capacity = { CapacityUnits?: number; WriteCapacityUnits?: number } | undefined;
const units = (capacities: Capacity | Capacity[]) =>
  [capacities]
    .flat()
    .reduce((sum, capacity) => sum + (capacity?.WriteCapacityUnits ?? capacity?.CapacityUnits ?? 0), 0);

const send = <O extends { ConsumedCapacity?: Capacity | Capacity[] }>(
  kind: 'readUnits' | 'writeUnits',
  attempt: Attempt<O>,
  onAmbiguous?: () => void,
) =>
  retry(async options => {
    const { consumption } = requestContext();
    consumption.dynamoDbCalls += 1;
    const output = await attempt(options);
    consumption[kind] += units(output.ConsumedCapacity);
    return output;
  }, onAmbiguous);

/** Reads one item with a consistent read. */
export const getItem = async (key: Key): Promise<Item | undefined> => {
  const command = { TableName: tableName, Key: key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' } as const;
  const output = await send('readUnits', options => client.send(new GetCommand(command), options));
  return output.Item;
};

/** Reads up to 100 items by distinct keys, in any order. Keys without an item are left out. */
export const getItems = async (keys: Key[], { consistent }: { consistent: boolean }): Promise<Item[]> => {
  const items: Item[] = [];
  let pendingKeys = keys;
  await retry(async options => {
    const { consumption } = requestContext();
    consumption.dynamoDbCalls += 1;
    const output = await client.send(
      new BatchGetCommand({
        RequestItems: { [tableName]: { Keys: pendingKeys, ConsistentRead: consistent } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
      options,
    );
    consumption.readUnits += units(output.ConsumedCapacity);
    items.push(...(output.Responses?.[tableName] ?? []));
    pendingKeys = (output.UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    if (pendingKeys.length > 0) throw new UnprocessedKeys(pendingKeys.length);
  });
  return items;
};

/** A range of ids, both ends included. DynamoDB rejects an empty one. */
export interface IdRange {
  readonly first: number;
  readonly last: number;
}

/** Reads the items with the largest ids of an index partition that are in the range. Eventually consistent. */
export const queryIndex = async (
  key: IndexKey,
  partition: string,
  { first, last }: IdRange,
  limit: number,
): Promise<Item[]> => {
  const output = await send('readUnits', options =>
    client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: readFrom[key],
        KeyConditionExpression: '#partition = :partition AND #id BETWEEN :first AND :last',
        ExpressionAttributeNames: { '#partition': key, '#id': 'id' },
        ExpressionAttributeValues: { ':partition': partition, ':first': first, ':last': last },
        ScanIndexForward: false,
        Limit: limit,
        ReturnConsumedCapacity: 'TOTAL',
      }),
      options,
    ),
  );
  return output.Items ?? [];
};

/**
 * Sends one transaction. With the token, DynamoDB applies it once, so for 10 minutes it is safe to retry.
 * @param onAmbiguous called after an ambiguous attempt
 */
export const sendTransaction = (writes: Write[], token: string, onAmbiguous?: () => void) =>
  send(
    'writeUnits',
    options =>
      client.send(
        new TransactWriteCommand({
          TransactItems: writes,
          ClientRequestToken: token,
          ReturnConsumedCapacity: 'TOTAL',
        }),
        options,
      ),
    onAmbiguous,
  );

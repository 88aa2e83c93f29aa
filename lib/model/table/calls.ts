import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { environment } from '../../environment.ts';
import { requestContext } from '../../request-context.ts';
import { UnprocessedKeys } from './classify-error.ts';
import { client } from './client.ts';
import { type ReadKey, readFrom } from './indexes.ts';
import { retry } from './retry.ts';
import './warm-up.ts';

/** The model casts it to the type of its kind without a check. */
// biome-ignore lint/suspicious/noExplicitAny: the document client's own type for an item
export type Item = Record<string, any>;
export type Key = { pk: string; sk: string };
export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export const { tableName } = environment;

type Capacity = { CapacityUnits?: number; WriteCapacityUnits?: number } | undefined;
const units = (capacities: Capacity | Capacity[]) =>
  [capacities]
    .flat()
    .reduce(
      (sum, capacity) => sum + (capacity?.WriteCapacityUnits ?? capacity?.CapacityUnits ?? 0),
      0,
    );

const counted = async <O extends { ConsumedCapacity?: Capacity | Capacity[] }>(
  kind: 'readUnits' | 'writeUnits',
  call: Promise<O>,
): Promise<O> => {
  const { consumption } = requestContext();
  consumption.dynamoDbCalls += 1;
  const output = await call;
  consumption[kind] += units(output.ConsumedCapacity);
  return output;
};

export const getItem = async (key: Key): Promise<Item | undefined> => {
  const input = {
    TableName: tableName,
    Key: key,
    ConsistentRead: true,
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const output = await retry(options =>
    counted('readUnits', client.send(new GetCommand(input), options)),
  );
  return output.Item;
};

/** Takes up to 100 distinct keys. Returns the items that exist, in any order. */
export const getItems = async (
  keys: Key[],
  { consistent }: { consistent: boolean },
): Promise<Item[]> => {
  const items: Item[] = [];
  let pendingKeys = keys;
  await retry(async options => {
    const command = new BatchGetCommand({
      RequestItems: { [tableName]: { Keys: pendingKeys, ConsistentRead: consistent } },
      ReturnConsumedCapacity: 'TOTAL',
    });
    const output = await counted('readUnits', client.send(command, options));
    items.push(...(output.Responses?.[tableName] ?? []));
    pendingKeys = (output.UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    if (pendingKeys.length > 0) throw new UnprocessedKeys(pendingKeys.length);
  });
  return items;
};

/** Both ends are included. DynamoDB rejects an empty range. */
export interface IdRange {
  readonly first: number;
  readonly last: number;
}

/** The items with the largest ids in the range. The read is eventually consistent. */
export const queryIndex = async (
  key: ReadKey,
  partition: string,
  { first, last }: IdRange,
  limit: number,
): Promise<Item[]> => {
  const input: QueryCommandInput = {
    TableName: tableName,
    IndexName: readFrom[key],
    KeyConditionExpression: '#partition = :partition AND #id BETWEEN :first AND :last',
    ExpressionAttributeNames: { '#partition': key, '#id': 'id' },
    ExpressionAttributeValues: { ':partition': partition, ':first': first, ':last': last },
    ScanIndexForward: false,
    Limit: limit,
    ReturnConsumedCapacity: 'TOTAL',
  };
  const output = await retry(options =>
    counted('readUnits', client.send(new QueryCommand(input), options)),
  );
  return output.Items ?? [];
};

/** DynamoDB applies only one transaction with the same token within 10 minutes, so a retry is safe. */
export const sendTransaction = (writes: Write[], token: string, onAmbiguous?: () => void) => {
  const input = {
    TransactItems: writes,
    ClientRequestToken: token,
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  return retry(
    options => counted('writeUnits', client.send(new TransactWriteCommand(input), options)),
    onAmbiguous,
  );
};

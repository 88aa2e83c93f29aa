import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { resourcesOf, type Template } from '../../build/template.ts';
import { createTable } from './table.ts';
import { type Export, type ExportedItem, itemsOf, readExport } from './table-export.ts';

/** Items that one BatchWriteItem takes. */
const itemsPerCall = 25;

const shardsOf = (template: Template): number =>
  Math.max(
    ...resourcesOf(template, 'AWS::Lambda::Function').map(([, { Environment }]) =>
      Number(Environment.Variables.INDEX_SHARDS ?? 1),
    ),
  );

/** The shard of an index partition that an item stands in; lists of fewer shards would not show it. */
const shardOf = ({ all }: ExportedItem): number => Number(/#(\d+)$/.exec(all?.S ?? '')?.[1] ?? 0);

/** Reads all of it once before anything is written. @throws when it is not whole, or has more shards than lists read here */
const check = async ({ files, itemCount }: Export, shards: number): Promise<void> => {
  let items = 0;
  for (const file of files)
    for await (const item of itemsOf(file)) {
      items += 1;
      if (shardOf(item) >= shards)
        throw new Error(
          `The export has ${shardOf(item) + 1} or more index shards, and this stage reads ${shards}: set indexShards of the stage "local" in cdk/config/settings.ts to those of the stage it comes from`,
        );
    }
  if (items !== itemCount) throw new Error(`The export has ${items} items; its summary says ${itemCount}`);
};

const write = async (client: DynamoDBClient, tableName: string, items: readonly ExportedItem[]): Promise<void> => {
  let requests: WriteRequest[] | undefined = items.map(Item => ({ PutRequest: { Item } }));
  while (requests && requests.length > 0) {
    const { UnprocessedItems }: { UnprocessedItems?: Record<string, WriteRequest[]> | undefined } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }),
    );
    requests = UnprocessedItems?.[tableName];
  }
};

const hasItems = async (client: DynamoDBClient, tableName: string): Promise<boolean | undefined> => {
  try {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, Limit: 1 }));
    return Items.length > 0;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

/**
 * Makes the table of an export, item by item as it was: counts of writes, versions and ids included. The stream is switched
 * on after it (../table.ts), so nothing of it is told here.
 * @returns a sentence that says what was loaded
 * @throws when there are items already, or the export is not whole; nothing was written then
 */
export const importExport = async (
  client: DynamoDBClient,
  template: Template,
  tableName: string,
  folder: string,
): Promise<string> => {
  const found = readExport(folder);
  const present = await hasItems(client, tableName);
  if (present)
    throw new Error(
      'There are items already, and an export is not mixed into them: add --memory, or --data FOLDER with a new one.',
    );
  await check(found, shardsOf(template));
  if (present === false) await client.send(new DeleteTableCommand({ TableName: tableName }));
  await createTable(client, template, tableName, false);
  try {
    for (const file of found.files) {
      let batch: ExportedItem[] = [];
      for await (const item of itemsOf(file)) {
        batch.push(item);
        if (batch.length < itemsPerCall) continue;
        await write(client, tableName, batch);
        batch = [];
      }
      await write(client, tableName, batch);
    }
  } catch (error) {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
    throw error;
  }
  return `${found.itemCount} items of ${found.tableArn}, as they were at ${found.exportTime}`;
};

import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { resourcesOf, type Template } from '../../build/template.ts';
import { createTable } from './table.ts';
import { type ExportedItem, itemsOf, readTableExport, type TableExport } from './table-export.ts';

/** The limit of BatchWriteItem. */
const maxBatchItems = 25;

const shardsOf = (template: Template): number =>
  Math.max(
    ...resourcesOf(template, 'AWS::Lambda::Function').map(([, { Environment }]) =>
      Number(Environment.Variables.INDEX_SHARDS ?? 1),
    ),
  );

/** The index shard of an item. Lists that read fewer shards would not return it. */
const shardOf = ({ all }: ExportedItem): number => Number(/#(\d+)$/.exec(all?.S ?? '')?.[1] ?? 0);

/** Reads the whole export before anything is written. @throws if it is incomplete, or has more shards than this stage reads */
const validate = async ({ files, itemCount }: TableExport, shards: number): Promise<void> => {
  let items = 0;
  for (const file of files)
    for await (const item of itemsOf(file)) {
      items += 1;
      if (shardOf(item) >= shards)
        throw new Error(
          `The export has ${shardOf(item) + 1} or more index shards, and this stage reads ${shards}: set indexShards of the stage "local" in cdk/config/settings.ts to the value of the exported stage`,
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
 * Creates the table and loads the items of an export unchanged. The stream is enabled later (./table.ts), so the import
 * publishes no events.
 * @returns what was loaded, for the output
 * @throws if the table has items, or the export is incomplete; then nothing was written
 */
export const importTable = async (
  client: DynamoDBClient,
  template: Template,
  tableName: string,
  folder: string,
): Promise<string> => {
  const tableExport = readTableExport(folder);
  const currentItems = await hasItems(client, tableName);
  if (currentItems)
    throw new Error('The table already has items. Import into an empty one: add --memory, or --data NEW_FOLDER.');
  await validate(tableExport, shardsOf(template));
  if (currentItems === false) await client.send(new DeleteTableCommand({ TableName: tableName }));
  await createTable(client, template, tableName, false);
  try {
    for (const file of tableExport.files) {
      let batch: ExportedItem[] = [];
      for await (const item of itemsOf(file)) {
        batch.push(item);
        if (batch.length < maxBatchItems) continue;
        await write(client, tableName, batch);
        batch = [];
      }
      await write(client, tableName, batch);
    }
  } catch (error) {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
    throw error;
  }
  return `${tableExport.itemCount} items of ${tableExport.tableArn}, exported at ${tableExport.exportTime}`;
};

import { BatchWriteItemCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { tableName } from '../../lib/model/table/calls.ts';
import type { Item } from './dynamodb/expression.ts';
import type { Command } from './dynamodb/in-memory.ts';
import type { Store } from './run.ts';

/** A real engine in the place of the in-memory one. */
export class EngineStore implements Store {
  private readonly client: DynamoDBClient;
  private readonly documents: DynamoDBDocumentClient;

  constructor(client: DynamoDBClient) {
    this.client = client;
    this.documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  }

  send(command: Command): Promise<unknown> {
    const Again = command.constructor as new (input: unknown) => Command;
    return this.documents.send(new Again(command.input) as never);
  }

  async items(): Promise<Item[]> {
    const { Items = [] } = await this.client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
    return Items.map(item => unmarshall(item));
  }

  /** Leaves these items in the table and no others. */
  async contain(items: readonly Item[]) {
    const nameOf = ({ pk, sk }: Item) => `${pk}/${sk}`;
    const kept = new Set(items.map(nameOf));
    const strangers = (await this.items()).filter(item => !kept.has(nameOf(item)));
    const requests = [
      ...strangers.map(({ pk, sk }) => ({ DeleteRequest: { Key: marshall({ pk, sk }) } })),
      ...items.map(item => ({ PutRequest: { Item: marshall(item) } })),
    ];
    if (requests.length === 0) return;
    if (requests.length > 25) throw new Error('more than one batch takes');
    await this.client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
}

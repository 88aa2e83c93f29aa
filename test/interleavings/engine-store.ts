import { BatchWriteItemCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { tableName } from '../../lib/model/table/calls.ts';
import type { Item } from './dynamodb/expression.ts';
import type { Command } from './dynamodb/in-memory.ts';
import type { Store } from './run.ts';

/** A real engine in place of the in-memory table. */
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

  rejectedWrites(): number[] {
    return [];
  }

  async items(): Promise<Item[]> {
    const { Items = [] } = await this.client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
    return Items.map(item => unmarshall(item));
  }

  /** Replaces the contents of the table. */
  async replaceItems(items: readonly Item[]) {
    const nameOf = ({ pk, sk }: Item) => `${pk}/${sk}`;
    const wanted = new Set(items.map(nameOf));
    const extra = (await this.items()).filter(item => !wanted.has(nameOf(item)));
    const requests = [
      ...extra.map(({ pk, sk }) => ({ DeleteRequest: { Key: marshall({ pk, sk }) } })),
      ...items.map(item => ({ PutRequest: { Item: marshall(item) } })),
    ];
    if (requests.length === 0) return;
    if (requests.length > 25) throw new Error('too many items for one batch');
    await this.client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
}

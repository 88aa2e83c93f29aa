import { isDeepStrictEqual } from 'node:util';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { awsClient } from '../../aws/aws-client.ts';
import { onlyResourceOf, type Template } from '../../synthesis/template.ts';
import { UnusableDataError } from './start-engine.ts';

export const connect = (endpoint: string) => awsClient(DynamoDBClient, { endpoint });

/** Without throughput, replicas and backups. */
const createTableInput = (template: Template, tableName: string): CreateTableCommandInput => {
  const [, properties] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  return {
    TableName: tableName,
    BillingMode: properties.BillingMode,
    AttributeDefinitions: properties.AttributeDefinitions,
    KeySchema: properties.KeySchema,
    GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes.map(
      ({ IndexName, KeySchema, Projection }: Record<string, unknown>) => ({
        IndexName,
        KeySchema,
        Projection,
      }),
    ),
    StreamSpecification: properties.StreamSpecification && {
      StreamEnabled: true,
      ...properties.StreamSpecification,
    },
  };
};

const shapeOf = ({ KeySchema, GlobalSecondaryIndexes = [] }: TableDescription) => ({
  KeySchema,
  indexes: Object.fromEntries(
    GlobalSecondaryIndexes.map(index => [index.IndexName, index.KeySchema]),
  ),
});

/** @throws {UnusableDataError} if the table has another key, or other names or keys of indexes, or the database cannot be read; another error without a response of DynamoDB */
export const ensureTable = async (
  client: DynamoDBClient,
  template: Template,
  tableName: string,
): Promise<void> => {
  const input = createTableInput(template, tableName);
  const current = await client
    .send(new DescribeTableCommand({ TableName: tableName }))
    .catch(error => {
      if (error.name === 'ResourceNotFoundException') return undefined;
      const [message] = String(error.message || error.name).split('\n');
      // Any other error is of the SDK or the network, and the data can be as good as ever.
      if (error instanceof DynamoDBServiceException && error.name !== 'Unknown')
        throw new UnusableDataError(`The database cannot be read: ${message}`);
      const { DYNAMODB_ENDPOINT: given } = process.env;
      throw new Error(
        given
          ? `DYNAMODB_ENDPOINT=${given} does not respond as DynamoDB does: ${message}`
          : `DynamoDB could not be called: ${message}`,
      );
    });
  if (!current) await client.send(new CreateTableCommand(input));
  else if (!isDeepStrictEqual(shapeOf(current.Table ?? {}), shapeOf(input as TableDescription)))
    throw new UnusableDataError('The data was written with another table definition.');
  // An earlier start can have ended after it created the table. To enable time to live twice is an error.
  const { TimeToLiveDescription } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: tableName }),
  );
  if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
  const [, { TimeToLiveSpecification }] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
};

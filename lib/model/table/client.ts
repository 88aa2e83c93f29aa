import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientOptions } from '../../aws/client-options.ts';
import { environment } from '../../environment.ts';

export const client = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    ...clientOptions,
    endpoint: environment.dynamoDbEndpoint,
    accountIdEndpointMode: 'disabled',
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

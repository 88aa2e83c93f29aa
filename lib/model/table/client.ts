import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../environment.ts';
import { requestHandler } from './request-handler.ts';

/** What every call to DynamoDB goes through. */
export const client = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    endpoint: environment.dynamoDbEndpoint,
    requestHandler,
    // One attempt here: retry.ts repeats, because it must know whether an attempt may have written.
    maxAttempts: 1,
    // Said outright, so that the SDK looks nowhere else for them.
    defaultsMode: 'standard',
    retryMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    accountIdEndpointMode: 'disabled',
    defaultUserAgentProvider: async () => [['petstore']],
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

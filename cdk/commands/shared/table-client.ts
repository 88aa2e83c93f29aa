import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localClient } from './here.ts';

/** Where a stage's table is: by default where the credentials of whoever runs the command lead. */
export interface Place {
  readonly region?: string | undefined;
  /** Another DynamoDB, such as this machine's, which checks no credentials. */
  readonly endpoint?: string | undefined;
}

export const tableClient = ({ region, endpoint }: Place): DynamoDBClient =>
  // Beyond its maximum units a stage's table throttles, and a command can wait.
  new DynamoDBClient({ maxAttempts: 10, ...(region && { region }), ...(endpoint && { endpoint, ...localClient }) });

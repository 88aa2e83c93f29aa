/** Bundled like the functions, this file gives tests the parts of the SDK that the functions have. */
export { PutEventsCommand } from '@aws-sdk/client-eventbridge';
export { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
export { ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
export { BatchGetCommand, GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
export { sqs } from '../../lib/aws/sqs.ts';
export { eventBridge } from '../../lib/events/clients.ts';
export { client } from '../../lib/model/table/client.ts';
export { secretsManager } from '../../lib/webhooks/clients.ts';

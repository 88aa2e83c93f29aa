/** Bundled like the functions, so that tests use the same parts of the SDK. */
export { PutEventsCommand } from '@aws-sdk/client-eventbridge';
export { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
export { ChangeMessageVisibilityCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
export {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
export { sqs } from '../../lib/aws/sqs.ts';
export { eventBridge } from '../../lib/events/clients.ts';
export { client } from '../../lib/model/table/client.ts';
export { secretsManager } from '../../lib/webhooks/clients.ts';

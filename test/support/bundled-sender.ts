/** The part of the SDK that only the sender's bundle has, for tests that send commands. */
export { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
export { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
export { secretsManager } from '../../lib/webhooks/clients.ts';

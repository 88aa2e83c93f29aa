/** What the publisher's bundle has of the SDK, for a test to send commands by. */
export { PutEventsCommand } from '@aws-sdk/client-eventbridge';
export { SendMessageCommand } from '@aws-sdk/client-sqs';
export { eventBridge, sqs } from '../../lib/events/clients.ts';

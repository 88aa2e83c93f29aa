/** The parts of the SDK in the publisher's bundle, for tests that send commands. */
export { PutEventsCommand } from '@aws-sdk/client-eventbridge';
export { SendMessageCommand } from '@aws-sdk/client-sqs';
export { sqs } from '../../lib/aws/sqs.ts';
export { eventBridge } from '../../lib/events/clients.ts';

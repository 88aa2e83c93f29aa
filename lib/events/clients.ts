import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientOptions } from '../aws/client-options.ts';
import { environment } from '../environment.ts';
import { busOf } from './bus.ts';
import { deadLetterQueueOf } from './dead-letter-queue.ts';

const { eventsEndpoint, eventBus, deadLetterQueueUrl } = environment;

/** The SDK clients of the publisher. */
export const eventBridge = new EventBridgeClient({ ...clientOptions, endpoint: eventsEndpoint });
export const sqs = new SQSClient({ ...clientOptions, endpoint: new URL(deadLetterQueueUrl).origin });

export const bus = busOf(eventBridge, eventBus);

export const deadLetterQueue = deadLetterQueueOf(sqs, deadLetterQueueUrl);

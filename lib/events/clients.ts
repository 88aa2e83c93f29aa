import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientOptions } from '../aws/client-options.ts';
import { environment } from '../environment.ts';
import { busOf } from './bus.ts';
import { queueOf } from './dead-letter-queue.ts';

const { eventsEndpoint, eventBus, deadLetterQueueUrl } = environment;

/** What every call of the publisher goes through. */
export const eventBridge = new EventBridgeClient({ ...clientOptions, endpoint: eventsEndpoint });
export const sqs = new SQSClient({ ...clientOptions, endpoint: new URL(deadLetterQueueUrl).origin });

export const bus = busOf(eventBridge, eventBus);

export const keptRecords = queueOf(sqs, deadLetterQueueUrl);

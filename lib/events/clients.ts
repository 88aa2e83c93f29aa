import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { environment } from '../environment.ts';
import { requestHandler } from '../model/table/request-handler.ts';
import { busOf } from './bus.ts';
import { queueOf } from './kept-records.ts';

/** Said outright, so that the SDK looks nowhere else for them. */
const options = {
  requestHandler,
  /** One attempt here: publish.ts repeats, because it must know which entries of a call failed; and Lambda repeats all. */
  maxAttempts: 1,
  defaultsMode: 'standard',
  retryMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  defaultUserAgentProvider: async () => [['petstore']] as [string][],
} as const;

const { eventsEndpoint, eventBus, keptRecordsUrl } = environment;

const events = new EventBridgeClient({ ...options, endpoint: eventsEndpoint });

export const bus = busOf(events, eventBus);

export const keptRecords = queueOf(
  new SQSClient({ ...options, endpoint: new URL(keptRecordsUrl).origin }),
  keptRecordsUrl,
);

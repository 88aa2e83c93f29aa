import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { WrongUse } from '../shared/command.ts';
import { describedAt, localClient, refuseBeside } from '../shared/here.ts';

/** Where dead letters are, and where they go. */
export interface Places {
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly queueUrl: string;
  readonly bus: string;
}

/** Options by which the command names them. */
export const placeOptions = {
  queue: { type: 'string' },
  bus: { type: 'string' },
  region: { type: 'string' },
  local: { type: 'string' },
} as const;
type PlaceOptions = Partial<Record<keyof typeof placeOptions, string>>;

export const placeUsage = `  --queue URL      the queue: the stack's output WebhooksDeadLetterQueueUrl
  --bus NAME       the bus: the stack's output EventBusName
  --region REGION  where they are (default: AWS_REGION)
  --local URL      instead of these: a server of this machine, such as http://127.0.0.1:3000, which knows them all`;

const localPlaces = async (url: string): Promise<Places> => {
  const { WEBHOOKS_DEAD_LETTER_QUEUE_URL, EVENT_BUS, EVENTS_ENDPOINT } = await describedAt(url);
  if (!WEBHOOKS_DEAD_LETTER_QUEUE_URL || !EVENT_BUS || !EVENTS_ENDPOINT)
    throw new WrongUse(`The server at ${url} has no webhook: npm start -- --webhook http://127.0.0.1:4000/hook`);
  const client = { ...localClient, endpoint: EVENTS_ENDPOINT };
  return {
    sqs: new SQSClient(client),
    eventBridge: new EventBridgeClient(client),
    queueUrl: WEBHOOKS_DEAD_LETTER_QUEUE_URL,
    bus: EVENT_BUS,
  };
};

/** @throws {WrongUse} */
export const placesOf = async ({ queue, bus, region, local }: PlaceOptions): Promise<Places> => {
  if (local !== undefined) {
    refuseBeside(queue, bus, region);
    return localPlaces(local);
  }
  if (!queue || !bus) throw new WrongUse('Which stage? --queue URL --bus NAME, or --local URL');
  if (!URL.canParse(queue))
    throw new WrongUse(`${queue} is no URL: the stack’s output WebhooksDeadLetterQueueUrl names the queue.`);
  const client = region ? { region } : {};
  return {
    sqs: new SQSClient({ ...client, endpoint: new URL(queue).origin }),
    eventBridge: new EventBridgeClient(client),
    queueUrl: queue,
    bus,
  };
};

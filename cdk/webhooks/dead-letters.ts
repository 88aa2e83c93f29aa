import { DescribeRuleCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { Places } from './places.ts';

/** An event that a webhook did not take. */
export interface DeadLetter {
  /** Of the message. */
  readonly id: string;
  readonly receipt: string;
  /** The name of the rule. */
  readonly rule: string;
  /** What happened, in the words of EventBridge. */
  readonly because: string;
  readonly event: { readonly id: string; readonly type: string };
}

/** What was received and is no dead letter of a webhook, and why. */
export interface Stranger {
  readonly id: string;
  readonly receipt: string;
  readonly reason: string;
}

/** Seconds that nobody else receives what was received here: more than is done with ten messages. */
const hiddenFor = 300;

const parsed = (text: string | undefined) => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

/**
 * Reads a message. Whether its body is the event as it was on the bus, or what the target was to be sent, no document of
 * EventBridge says; so both are understood.
 */
const read = ({
  MessageId: id = '',
  ReceiptHandle: receipt = '',
  Body,
  MessageAttributes = {},
}: Message): DeadLetter | Stranger => {
  const textOf = (name: string) => MessageAttributes[name]?.StringValue;
  const body = parsed(Body);
  const event = body?.detail ?? body;
  if (event?.specversion !== '1.0') return { id, receipt, reason: 'it holds no event of the petstore' };
  const rule = /:rule\/(?:.*\/)?([^/]+)$/.exec(textOf('RULE_ARN') ?? '')?.[1];
  if (!rule) return { id, receipt, reason: 'its attribute RULE_ARN names no rule' };
  return {
    id,
    receipt,
    rule,
    event,
    because: [textOf('ERROR_CODE'), textOf('ERROR_MESSAGE')].filter(Boolean).join(': '),
  };
};

/** Receives at most ten, which nobody else receives for five minutes. None: there are no more. */
export const receive = async ({ sqs, queueUrl }: Places): Promise<(DeadLetter | Stranger)[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      ...{ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: hiddenFor, MessageAttributeNames: ['All'] },
      // Without it an answer may be empty though there are messages (SQS developer guide, "short and long polling").
      WaitTimeSeconds: 2,
    }),
  );
  return Messages.map(read);
};

/** The source that the rule takes for its own, by which one webhook alone is sent an event; undefined when there is no such rule. */
export const sourceOf = async ({ eventBridge, bus }: Places, rule: string): Promise<string | undefined> => {
  try {
    const { EventPattern } = await eventBridge.send(new DescribeRuleCommand({ Name: rule, EventBusName: bus }));
    const { source = [] } = parsed(EventPattern) ?? {};
    return source.find((name: string) => name.startsWith('petstore.webhook.'));
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

/** Puts an event on the bus for one webhook, then takes its message out. @throws when it could not */
export const sendAgain = async (places: Places, { event, receipt }: DeadLetter, source: string): Promise<void> => {
  const { sqs, eventBridge, queueUrl, bus } = places;
  const entry = { EventBusName: bus, Source: source, DetailType: event.type, Detail: JSON.stringify(event) };
  const { Entries: [result] = [] } = await eventBridge.send(new PutEventsCommand({ Entries: [entry] }));
  if (!result?.EventId) throw new Error(`The bus did not take it: ${result?.ErrorCode} ${result?.ErrorMessage ?? ''}`);
  await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt }));
};

/** Lets others receive it at once. */
export const putBack = async ({ sqs, queueUrl }: Places, receipt: string): Promise<void> => {
  await sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt, VisibilityTimeout: 0 }),
  );
};

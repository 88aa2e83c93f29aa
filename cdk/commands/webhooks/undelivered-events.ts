import { DescribeRuleCommand, type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Message } from '@aws-sdk/client-sqs';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';

export interface WebhookBus {
  readonly eventBridge: EventBridgeClient;
  readonly bus: string;
}

/** An event that a webhook did not accept. */
export interface FailedDelivery {
  /** The name of the rule. */
  readonly rule: string;
  /** The error, as EventBridge reports it. */
  readonly cause: string;
  readonly event: { readonly id: string; readonly type: string };
  /** When it was sent to the queue, in milliseconds since the epoch. */
  readonly sentAt: number;
}

/** A message that is not from the rule of a webhook, with the reason. */
export interface InvalidMessage {
  readonly reason: string;
}

/**
 * Reads a message. EventBridge does not document whether its body is the event on the bus or the input of the target, so
 * both are understood.
 */
export const read = ({ Body, Attributes = {}, MessageAttributes = {} }: Message): FailedDelivery | InvalidMessage => {
  const textOf = (name: string) => MessageAttributes[name]?.StringValue;
  const body = jsonOrUndefined(Body);
  const event = body?.detail ?? body;
  if (event?.specversion !== '1.0') return { reason: 'its body is not a petstore event' };
  const rule = /:rule\/(?:.*\/)?([^/]+)$/.exec(textOf('RULE_ARN') ?? '')?.[1];
  if (!rule) return { reason: 'its attribute RULE_ARN names no rule' };
  return {
    rule,
    event,
    cause: [textOf('ERROR_CODE'), textOf('ERROR_MESSAGE')].filter(Boolean).join(': '),
    sentAt: Number(Attributes.SentTimestamp),
  };
};

/** The event source that only this rule matches, so that only one webhook gets the event. Undefined: there is no such rule. */
export const sourceOf = async ({ eventBridge, bus }: WebhookBus, rule: string): Promise<string | undefined> => {
  try {
    const { EventPattern } = await eventBridge.send(new DescribeRuleCommand({ Name: rule, EventBusName: bus }));
    const { source = [] } = jsonOrUndefined(EventPattern) ?? {};
    return source.find((name: string) => name.startsWith('petstore.webhook.'));
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

/** Puts an event on the bus for one webhook. @throws when the bus does not take it */
export const sendAgain = async (
  { eventBridge, bus }: WebhookBus,
  { event }: FailedDelivery,
  source: string,
): Promise<void> => {
  const entry = { EventBusName: bus, Source: source, DetailType: event.type, Detail: JSON.stringify(event) };
  const { Entries: [result] = [] } = await eventBridge.send(new PutEventsCommand({ Entries: [entry] }));
  if (!result?.EventId) throw new Error(`The bus did not take it: ${result?.ErrorCode} ${result?.ErrorMessage ?? ''}`);
};

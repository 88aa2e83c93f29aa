import { DescribeRuleCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Message } from '@aws-sdk/client-sqs';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';
import type { Places } from './places.ts';

/** An event that a webhook did not take. */
export interface DeadLetter {
  /** The name of the rule. */
  readonly rule: string;
  /** What happened, in the words of EventBridge. */
  readonly because: string;
  readonly event: { readonly id: string; readonly type: string };
  /** When it came into the queue, in milliseconds since the epoch. */
  readonly sentAt: number;
}

/** What was received and is no dead letter of a webhook, and why. */
export interface Stranger {
  readonly reason: string;
}

/**
 * Reads a message. Whether its body is the event as it was on the bus, or what the target was to be sent, no document of
 * EventBridge says; so both are understood.
 */
export const read = ({ Body, Attributes = {}, MessageAttributes = {} }: Message): DeadLetter | Stranger => {
  const textOf = (name: string) => MessageAttributes[name]?.StringValue;
  const body = jsonOrUndefined(Body);
  const event = body?.detail ?? body;
  if (event?.specversion !== '1.0') return { reason: 'it holds no event of the petstore' };
  const rule = /:rule\/(?:.*\/)?([^/]+)$/.exec(textOf('RULE_ARN') ?? '')?.[1];
  if (!rule) return { reason: 'its attribute RULE_ARN names no rule' };
  return {
    rule,
    event,
    because: [textOf('ERROR_CODE'), textOf('ERROR_MESSAGE')].filter(Boolean).join(': '),
    sentAt: Number(Attributes.SentTimestamp),
  };
};

/** The source that the rule takes for its own, by which one webhook alone is sent an event; undefined when there is no such rule. */
export const sourceOf = async ({ eventBridge, bus }: Places, rule: string): Promise<string | undefined> => {
  try {
    const { EventPattern } = await eventBridge.send(new DescribeRuleCommand({ Name: rule, EventBusName: bus }));
    const { source = [] } = jsonOrUndefined(EventPattern) ?? {};
    return source.find((name: string) => name.startsWith('petstore.webhook.'));
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

/** Puts an event on the bus for one webhook. @throws when it could not */
export const sendAgain = async ({ eventBridge, bus }: Places, { event }: DeadLetter, source: string): Promise<void> => {
  const entry = { EventBusName: bus, Source: source, DetailType: event.type, Detail: JSON.stringify(event) };
  const { Entries: [result] = [] } = await eventBridge.send(new PutEventsCommand({ Entries: [entry] }));
  if (!result?.EventId) throw new Error(`The bus did not take it: ${result?.ErrorCode} ${result?.ErrorMessage ?? ''}`);
};

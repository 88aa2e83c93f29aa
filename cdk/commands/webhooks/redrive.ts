import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { commandOf } from '../shared/command.ts';
import { eachMessage, visibilityTimeout } from '../shared/each-message.ts';
import { openStage, stageOptions, stageUsage } from '../shared/stage.ts';
import {
  type FailedDelivery,
  type InvalidMessage,
  read,
  sendAgain,
  sourceOf,
  type WebhookBus,
} from './undelivered-events.ts';

const usage = `npm run webhooks:redrive -- --stage NAME [--webhook NAME] [--dry-run]
Sends each event of the dead-letter queue again, only to the webhook that did not accept it. EventBridge delivers the
events; one that fails again returns to the queue. You can repeat it: an event that a receiver gets twice has the same id.
${stageUsage}
  --webhook NAME   only the events of this webhook
  --dry-run        prints what it would send, and changes nothing
  --help           prints this
Exits with 0 when no event is left, with 1 when some are left, with 2 when it failed. Events that are left are visible in
the queue again after ${visibilityTimeout} seconds.
It needs cloudformation:DescribeStacks, sqs:ReceiveMessage and DeleteMessage on the queue, events:DescribeRule on the rules
of the bus and events:PutEvents on the bus.`;

interface Request {
  readonly webhook?: string | undefined;
  readonly isDry: boolean;
}

/** What happened to a message. Messages with the same text are counted together. */
interface Outcome {
  readonly what?: string;
  readonly stays: boolean;
  readonly isLeft?: boolean;
}

const left = (what: string): Outcome => ({ what: `left: ${what}`, stays: true, isLeft: true });

/** Sends one event after the other, and remembers which it has sent. */
const createSender = (webhookBus: WebhookBus, { webhook, isDry }: Request) => {
  const sources = new Map<string, string | undefined>();
  const sourceOfRule = async (rule: string) => {
    if (!sources.has(rule)) sources.set(rule, await sourceOf(webhookBus, rule));
    return sources.get(rule);
  };
  const startedAt = Date.now();
  const sent = new Set<string>();

  return async (undelivered: FailedDelivery | InvalidMessage): Promise<Outcome> => {
    if ('reason' in undelivered) return left(undelivered.reason);
    const { rule, event, cause, sentAt } = undelivered;
    const source = await sourceOfRule(rule);
    if (!source) return left(`the rule ${rule} has no webhook any more`);
    const name = source.replace('petstore.webhook.', '');
    if (webhook !== undefined && name !== webhook) return { stays: true };
    // It failed again during this run. An older message with the same event is a duplicate: sending it twice is harmless.
    const attempt = `${rule} ${event.id}`;
    if (sent.has(attempt) && sentAt > startedAt) return left(`${name} did not accept it again: ${cause}`);
    if (isDry) return { what: `would be sent to ${name} again: ${cause}`, stays: true };
    await sendAgain(webhookBus, undelivered, source);
    sent.add(attempt);
    return { what: `sent to ${name} again: ${cause}`, stays: false };
  };
};

const { readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  ...stageOptions,
  webhook: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
});

await run(async () => {
  const { webhook, 'dry-run': isDry } = values;
  const stage = await openStage(values);
  const url = stage.output('WebhooksDeadLetterQueueUrl');
  const webhookBus = { eventBridge: new EventBridgeClient(), bus: stage.output('EventBusName') };
  const send = createSender(webhookBus, { webhook, isDry });
  /** Text → count. */
  const outcomes = new Map<string, number>();
  let received = 0;
  let isLeft = false;
  await eachMessage(new SQSClient({ endpoint: new URL(url).origin }), url, async message => {
    const outcome = await send(read(message));
    if (outcome.what) outcomes.set(outcome.what, (outcomes.get(outcome.what) ?? 0) + 1);
    isLeft ||= outcome.isLeft ?? false;
    received += 1;
    if (received % 10 === 0) console.error(`… ${received} received`);
    return !outcome.stays;
  });
  for (const [what, times] of outcomes) console.log(`${times} ${what}`);
  if (outcomes.size === 0)
    console.log(`The queue has no visible messages. A run hides what it leaves for ${visibilityTimeout} s.`);
  return isLeft && !isDry ? 1 : 0;
});

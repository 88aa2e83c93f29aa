import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { queueUrlOf } from '../../../lib/aws/queue.ts';
import { commandOf, UsageError } from '../shared/command.ts';
import { eachMessage } from '../shared/each-message.ts';
import { openStage, stageOptions, stageUsage } from '../shared/stage.ts';
import { type InvalidMessage, read, type UndeliveredEvent } from './undelivered-events.ts';

const usage = `npm run webhooks:redrive -- --stage NAME [--webhook NAME [--delete]] [--dry-run]
Moves each event of the dead-letter queue back to the queue of the webhook that did not accept it. It is delivered for up to
24 hours more. You can run the command again: an event that a receiver gets twice has the same id.
${stageUsage}
  --webhook NAME   only the messages of this webhook
  --delete         deletes these messages and delivers none of them; needs --webhook
  --dry-run        prints what it would do, and changes nothing
  --help           prints this
Exits with 0 when no message is left or with --dry-run, with 1 when some are left, with 2 when it failed.`;

interface Redrive {
  readonly sqs: SQSClient;
  /** The origin of the queues' URLs. */
  readonly origin: string;
  readonly webhook: string | undefined;
  readonly deletes: boolean;
  readonly isDry: boolean;
}

/** What happened to a message. Messages with the same text are counted together. Without a text, it is of another webhook. */
interface Outcome {
  readonly what?: string;
  readonly stays: boolean;
  readonly isLeft?: boolean;
}

const left = (what: string): Outcome => ({ what: `left: ${what}`, stays: true, isLeft: true });

/** Moves or deletes one message after the other, and remembers which events it has moved. */
const createRedrive = ({ sqs, origin, webhook, deletes, isDry }: Redrive) => {
  const startedAt = Date.now();
  const moved = new Set<string>();

  const move = async ({ queue, id, event, cause, sentAt, ...of }: UndeliveredEvent): Promise<Outcome> => {
    const receiver = of.webhook ?? queue.split(':').at(-1);
    // It failed again during this run. An older message with the same event is a duplicate: delivering it twice is harmless.
    const delivery = `${queue} ${id}`;
    if (moved.has(delivery) && sentAt > startedAt) return left(`${receiver} did not accept it again: ${cause}`);
    if (isDry) return { what: `would be sent to ${receiver} again: ${cause}`, stays: true };
    try {
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrlOf(origin, queue), MessageBody: event }));
    } catch (error) {
      if (/QueueDoesNotExist|NonExistentQueue/.test((error as Error).name))
        return left(`the webhook ${receiver} does not exist any more`);
      throw error;
    }
    moved.add(delivery);
    return { what: `sent to ${receiver} again: ${cause}`, stays: false };
  };

  return async (message: UndeliveredEvent | InvalidMessage): Promise<Outcome> => {
    if (webhook !== undefined && message.webhook === undefined)
      return left('without the attribute webhook, so it may be of any webhook. Run this again without --webhook');
    if (webhook !== undefined && message.webhook !== webhook) return { stays: true };
    if (deletes) {
      const cause = 'reason' in message ? message.reason : message.cause;
      return { what: `${isDry ? 'would be deleted' : 'deleted'}: ${cause}`, stays: isDry };
    }
    return 'reason' in message ? left(message.reason) : move(message);
  };
};

const { misused, readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  ...stageOptions,
  webhook: { type: 'string' },
  delete: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
});
if (values.delete && values.webhook === undefined) misused('--delete needs --webhook NAME.');

await run(async () => {
  const { webhook, delete: deletes, 'dry-run': isDry } = values;
  const stage = await openStage(values);
  const url = stage.output('WebhooksDeadLetterQueueUrl');
  const { origin } = new URL(url);
  const sqs = new SQSClient({ endpoint: origin });
  const redrive = createRedrive({ sqs, origin, webhook, deletes, isDry });
  /** Of the stage, and of messages, whose webhooks can have been removed. */
  const known = new Set(stage.output('WebhookNames').split(','));
  /** Text → count. */
  const outcomes = new Map<string, number>();
  let received = 0;
  let isLeft = false;
  await eachMessage(sqs, url, async body => {
    const message = read(body);
    if (message.webhook !== undefined) known.add(message.webhook);
    const outcome = await redrive(message);
    if (outcome.what) outcomes.set(outcome.what, (outcomes.get(outcome.what) ?? 0) + 1);
    isLeft ||= outcome.isLeft ?? false;
    received += 1;
    if (received % 10 === 0) console.error(`… ${received} received`);
    return !outcome.stays;
  });
  if (webhook !== undefined && !known.has(webhook))
    throw new UsageError(`There is no webhook "${webhook}". Known webhooks: ${[...known].sort().join(', ')}.`);
  for (const [what, times] of outcomes) console.log(`${times} ${what}`);
  if (received === 0) console.log('The queue has no visible messages.');
  else if (outcomes.size === 0) console.log(`None of the ${received} visible messages is of the webhook ${webhook}.`);
  return isLeft && !isDry ? 1 : 0;
});

import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { queueUrlOf } from '../../../lib/aws/queue.ts';
import { commandOf } from '../shared/command.ts';
import { eachMessage } from '../shared/each-message.ts';
import { permissionsUsage } from '../shared/permissions-usage.ts';
import { openStage, stageOptions, stageUsage } from '../shared/stage.ts';
import { type InvalidMessage, read, type UndeliveredEvent } from './undelivered-events.ts';

const usage = `npm run webhooks:redrive -- --stage NAME [--webhook NAME] [--dry-run]
Moves each event of the dead-letter queue back to the queue of the webhook that did not accept it. It is delivered for up to
24 hours more. You can repeat the command: an event that a receiver gets twice has the same id.
${stageUsage}
  --webhook NAME   only the events of this webhook
  --dry-run        prints what it would move, and changes nothing
  --help           prints this
Exits with 0 when no event is left, with 1 when some are left, with 2 when it failed.
${permissionsUsage('webhooks:redrive')}`;

interface Redrive {
  readonly sqs: SQSClient;
  /** The origin of the queues' URLs. */
  readonly origin: string;
  readonly webhook: string | undefined;
  readonly isDry: boolean;
}

/** What happened to a message. Messages with the same text are counted together. */
interface Outcome {
  readonly what?: string;
  readonly stays: boolean;
  readonly isLeft?: boolean;
}

const left = (what: string): Outcome => ({ what: `left: ${what}`, stays: true, isLeft: true });

/** Moves one event after the other, and remembers which it has moved. */
const createRedrive = ({ sqs, origin, webhook, isDry }: Redrive) => {
  const startedAt = Date.now();
  const moved = new Set<string>();

  return async (undelivered: UndeliveredEvent | InvalidMessage): Promise<Outcome> => {
    if ('reason' in undelivered) return left(undelivered.reason);
    const { queue, id, event, cause, sentAt } = undelivered;
    if (webhook !== undefined && undelivered.webhook !== webhook) return { stays: true };
    const receiver = undelivered.webhook ?? queue.split(':').at(-1);
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
  const { origin } = new URL(url);
  const sqs = new SQSClient({ endpoint: origin });
  const redrive = createRedrive({ sqs, origin, webhook, isDry });
  /** Text → count. */
  const outcomes = new Map<string, number>();
  let received = 0;
  let isLeft = false;
  await eachMessage(sqs, url, async message => {
    const outcome = await redrive(read(message));
    if (outcome.what) outcomes.set(outcome.what, (outcomes.get(outcome.what) ?? 0) + 1);
    isLeft ||= outcome.isLeft ?? false;
    received += 1;
    if (received % 10 === 0) console.error(`… ${received} received`);
    return !outcome.stays;
  });
  for (const [what, times] of outcomes) console.log(`${times} ${what}`);
  if (outcomes.size === 0) console.log('The queue has no visible messages.');
  return isLeft && !isDry ? 1 : 0;
});

import { type Message, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { queueUrlOf } from '../../../lib/aws/queue.ts';
import { retryHours } from '../../../lib/webhook-retries.ts';
import { commandOf, flag, now, runMain, text, UsageError } from '../../command.ts';
import { jsonOrUndefined } from '../../files/json-or-undefined.ts';
import { type Outcome, redrive } from '../shared/redrive.ts';
import { openStage, stageOptions, stageUsage } from '../shared/stage.ts';

const usage = `npm run webhooks:redrive -- --stage NAME [--webhook NAME [--delete]] [--yes]
Moves each event of the dead-letter queue back to the queue of the webhook that did not accept it. It is delivered for
up to ${retryHours} hours more. You can run the command again: an event that a receiver gets twice has the same id.
Exit code 0: no message is left, or --yes was not given. 1: some are left. 2: it failed.
${stageUsage}
  --webhook NAME   only the messages of this webhook
  --delete         deletes these messages and delivers none of them; needs --webhook
  --yes            does it. Without it, prints what it would do, and changes nothing`;

/**
 * A message of the dead-letter queue comes from one of three senders:
 * - the function (lib/webhooks/deliver.ts), after its attempts, or at once if the message is not an event;
 * - SQS, if the function received it too often. `DeadLetterQueueSourceArn` names its queue (API reference, ReceiveMessage);
 * - EventBridge, if the webhook's queue (`TARGET_ARN`) did not accept the event (EventBridge user guide, "Using dead-letter
 *   queues to process undelivered events"). The body can be the event or the target's input: the guide does not say which.
 */
const read = ({ Body = '', Attributes = {}, MessageAttributes = {} }: Message) => {
  const attribute = (name: string) => MessageAttributes[name]?.StringValue;
  const body = jsonOrUndefined(Body);
  const event = body?.detail ?? body;
  const queue =
    attribute('queue') ?? Attributes.DeadLetterQueueSourceArn ?? attribute('TARGET_ARN');
  const ofFunction = [attribute('status'), attribute('error')].filter(Boolean).join(' ');
  const ofEventBridge = [attribute('ERROR_CODE'), attribute('ERROR_MESSAGE')]
    .filter(Boolean)
    .join(': ');
  const cause = ofFunction || ofEventBridge || 'the function did not finish its attempts';
  const problems = [
    event?.specversion !== '1.0' && 'its body is not an event of Petstore',
    event?.data === undefined &&
      'it was too large: publish it again (npm run events:republish), then delete the message (--delete)',
    queue === undefined && 'no attribute names the queue of its webhook',
  ];
  return {
    of: attribute('webhook'),
    queue: queue!,
    event: body?.detail ? JSON.stringify(event) : Body,
    cause,
    problem: problems.find(Boolean),
  };
};

interface Redriven {
  readonly webhook?: string | undefined;
  readonly delete: boolean;
  readonly yes: boolean;
}

const takerOf = ({ webhook, delete: isDeletion, yes }: Redriven) => {
  const startedAt = now();
  const moved = new Set<string>(); // the queue and the event of each message that this run sent
  return async (message: Message, sqs: SQSClient): Promise<Outcome> => {
    const { of, queue, event, cause, problem } = read(message);
    if (webhook !== undefined && of !== webhook)
      return {
        what: `left: of ${of ?? 'any webhook. Run this again without --webhook'}`,
        isDone: false,
      };
    if (isDeletion)
      return { what: `${yes ? 'deleted' : 'would be deleted'}: ${problem || cause}`, isDone: true };
    if (problem) return { what: `left: ${problem}`, isDone: false };
    const receiver = of ?? queue.split(':').at(-1);
    if (!yes) return { what: `would be sent to ${receiver} again: ${cause}`, isDone: false };
    // If a message of an event that this run sent is newer than the run, the webhook failed again. An older one is sent, too.
    const delivery = `${queue} ${event}`;
    if (moved.has(delivery) && Number(message.Attributes?.SentTimestamp) > startedAt)
      return { what: `left: ${receiver} did not accept it again: ${cause}`, isDone: false };
    try {
      const origin = await sqs.config.endpoint!();
      const QueueUrl = queueUrlOf(`https://${origin.hostname}`, queue);
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: event }));
    } catch (error) {
      if (!/QueueDoesNotExist|NonExistentQueue/.test((error as Error).name)) throw error;
      return { what: `left: the webhook ${receiver} does not exist any more`, isDone: false };
    }
    moved.add(delivery);
    return { what: `sent to ${receiver} again: ${cause}`, isDone: true };
  };
};

const options = { ...stageOptions, webhook: text, delete: flag, yes: flag };
const definition = { usage, options, failure: 'The messages could not be sent again', unable: 2 };

export const command = commandOf(definition, async values => {
  if (values.delete && values.webhook === undefined)
    throw new UsageError('--delete needs --webhook NAME.');
  const { output } = await openStage(values);
  const queue = output('WebhooksDeadLetterQueueUrl', 'it has no webhooks');
  return redrive(queue, !values.yes, takerOf(values));
});

if (import.meta.main) await runMain(command);

import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Outputs } from '../shared/stage.ts';
import { SkippedError } from './created.ts';
import type { RunStep } from './plan.ts';

const emptyQueue = 'webhooks: the dead-letter queue is empty';
const deliveries = 'webhooks: deliveries';

const isDenied = ({ name }: Error) => /AccessDenied|CredentialsProviderError/.test(name);

const countMessages = async (QueueUrl: string): Promise<number> => {
  const sqs = new SQSClient({ endpoint: new URL(QueueUrl).origin });
  try {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    );
    return Number(Attributes.ApproximateNumberOfMessages);
  } catch (error) {
    if (isDenied(error as Error)) throw new SkippedError('needs sqs:GetQueueAttributes on the queue');
    throw error;
  } finally {
    sqs.destroy();
  }
};

/**
 * What a run can check of webhooks: that nothing is dead-lettered. It cannot make a partner's receiver respond, nor see what
 * one received.
 * @param outputs of the stack; absent: the run knows only the URL of the API, and not whether there are webhooks
 */
export const webhookSteps = (outputs: Outputs | undefined): readonly RunStep[] => {
  const url = outputs?.WebhooksDeadLetterQueueUrl;
  if (!url) return [];
  const cannot: RunStep = {
    name: deliveries,
    run: async () => {
      throw new SkippedError(
        "only the receivers can check them; their outcomes: npm run query -- --stage NAME 'Webhook attempts by outcome'",
      );
    },
  };
  const queue: RunStep = {
    name: emptyQueue,
    run: async report => {
      const count = await countMessages(url);
      if (count > 0) throw new Error(`it has ${count} messages: npm run webhooks:redrive -- --stage NAME --dry-run`);
      report({ outcome: 'ok', name: emptyQueue });
    },
  };
  return [queue, cannot];
};

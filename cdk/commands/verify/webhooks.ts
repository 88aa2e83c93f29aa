import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Outputs } from '../shared/stage.ts';
import { SkippedError } from './created.ts';
import type { RunStep } from './plan.ts';

const emptyQueue = 'webhooks: the dead-letter queue is empty';

/** What a run cannot check, and who can. */
const unchecked = {
  'webhooks: deliveries':
    "only the receivers can check them; their outcomes: npm run query -- --stage NAME 'Webhook attempts by outcome'",
  'webhooks: event source mappings': 'npm run pause -- --stage NAME prints their states',
  'webhooks: secrets':
    "only the function can read them; why it cannot: npm run query -- --stage NAME 'Failed webhook attempts'",
};

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
 * What a run can check of webhooks: that nothing is dead-lettered. It cannot make a partner's receiver respond or see what one
 * received. It reads neither mappings nor secrets: an operator who verifies a stage should need no permissions for them.
 * @param outputs of the stack; absent: the run knows only the URL of the API, and not whether there are webhooks
 */
export const webhookSteps = (outputs: Outputs | undefined): readonly RunStep[] => {
  const url = outputs?.WebhooksDeadLetterQueueUrl;
  if (!url) return [];
  const skipped = Object.entries(unchecked).map(
    ([name, reason]): RunStep => ({
      name,
      run: async () => {
        throw new SkippedError(reason);
      },
    }),
  );
  const queue: RunStep = {
    name: emptyQueue,
    run: async report => {
      const count = await countMessages(url);
      if (count > 0) throw new Error(`it has ${count} messages: npm run webhooks:redrive -- --stage NAME --dry-run`);
      report({ outcome: 'ok', name: emptyQueue });
    },
  };
  return [queue, ...skipped];
};

import { describe, expect, it } from 'vitest';
import { webhookSteps } from '../../../cdk/commands/verify/webhooks.ts';
import { runInProcess } from '../../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../../support/petstore.ts';
import { callQueue, denied, interceptQueue, outputsAt } from '../../webhooks/queue.ts';

const webhook = { types: ['petstore.*'], secret: 'petstore/partner', concurrency: 2, url: 'http://127.0.0.1:9/hook' };
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks: { one: webhook } } });
const petstore = usePetstore({ assembly });

const verifyWebhooks = async (...args: string[]) => {
  const { code, output } = await runInProcess('cdk/commands/verify/index.ts', [
    ...args,
    ...['--only', 'webhooks', '--cold', '0', '--warm', '0', '--client', 'staff', '--secret', 'local'],
  ]);
  return { code, output };
};

describe('npm run verify, for webhooks', () => {
  it('reports an empty dead-letter queue, and what it cannot check', async () => {
    const { code, output } = await verifyWebhooks('--local', petstore.url);
    expect(output).toContain('ok        webhooks: the dead-letter queue is empty\n');
    expect(output).toContain('skipped   webhooks: deliveries: only the receivers can check them');
    expect(output).toContain('skipped   webhooks: event source mappings: npm run pause -- --stage NAME');
    expect(output).toContain('skipped   webhooks: secrets: only the function can read them');
    expect(code).toBe(0);
  });

  it('fails when events are dead-lettered', async () => {
    const { WebhooksDeadLetterQueueUrl: url } = await outputsAt(petstore.url);
    await callQueue(url!, 'SendMessage', { MessageBody: '{}' });
    const { code, output } = await verifyWebhooks('--local', petstore.url);
    expect(output).toContain('FAILED    webhooks: the dead-letter queue is empty: it has 1 messages');
    expect(code).toBe(1);
  });

  it('skips the queue when the role may not read it', async () => {
    const url = await interceptQueue(petstore.url, denied('GetQueueAttributes'));
    const { code, output } = await verifyWebhooks('--local', url);
    expect(output).toMatch(/^skipped +webhooks: the dead-letter queue is empty: needs sqs:GetQueueAttributes/m);
    expect(code).toBe(0);
  });

  it('has no checks for a stage without webhooks, or for a URL', () => {
    expect([webhookSteps({}), webhookSteps(undefined)]).toEqual([[], []]);
  });
});

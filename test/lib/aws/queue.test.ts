import { expect, it } from 'vitest';
import { queueUrlOf } from '../../../lib/aws/queue.ts';

it('the URL of a queue has its account and its name', () => {
  expect(queueUrlOf('https://sqs.eu-west-1.amazonaws.com', 'arn:aws:sqs:eu-west-1:123456789012:orders')).toBe(
    'https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
  );
});

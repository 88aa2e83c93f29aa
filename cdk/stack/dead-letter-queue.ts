import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/**
 * A dead-letter queue. It retains messages for 14 days, the maximum (SQS API reference, MessageRetentionPeriod), because a
 * person has to act on them.
 * @param command redrives its messages
 */
export const addDeadLetterQueue = (scope: Construct, id: string, command: string): Queue => {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  const reason = `It is a dead-letter queue itself; an operator redrives its messages (${command}).`;
  acknowledge(queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
  return queue;
};

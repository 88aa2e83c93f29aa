import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/**
 * A queue where failures end. It keeps them for 14 days, the longest there is (SQS API reference, MessageRetentionPeriod),
 * because somebody has to look at them.
 * @param command takes messages out
 */
export const addDeadLetterQueue = (scope: Construct, id: string, command: string): Queue => {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  const reason = `It is where failures end; a person takes its messages out (${command}).`;
  acknowledge(queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
  return queue;
};

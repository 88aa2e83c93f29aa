import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { deadLetterDays } from '../config/limits.ts';
import { acknowledge } from './acknowledge.ts';

/** @param command redrives its messages */
export const addDeadLetterQueue = (scope: Construct, id: string, command: string): Queue => {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(deadLetterDays),
  });
  const reason = `It is a dead-letter queue itself; an operator redrives its messages (${command}).`;
  acknowledge(queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
  return queue;
};

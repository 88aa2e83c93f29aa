import { Annotations, Duration, Fn, type Stack } from 'aws-cdk-lib';
import { CfnRule, type EventBus } from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterDays, sender as limits } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';
import { secretParameterOf, type Webhook } from '../config/webhooks.ts';
import { acknowledge } from './acknowledge.ts';
import { addDeadLetterQueue } from './dead-letter-queue.ts';
import { addFunction } from './function.ts';
import { addOutputs } from './outputs.ts';

interface WebhooksProps {
  readonly settings: Settings;
  readonly bus: EventBus;
  /** The folder with the sender's bundle. */
  readonly code: string;
  /** Takes a client's name in the settings. */
  readonly clientIdOf: (client: string) => string;
}

/** Six times the function's timeout (Lambda developer guide, "Creating and configuring an Amazon SQS event source mapping"). */
const visibilityTimeout = Duration.seconds(6 * limits.timeout);

/**
 * Usually the function dead-letters a message earlier: after 24 hours, some 60 attempts (lib/webhooks/deliver.ts). If the
 * function always crashes, 500 receives of `visibilityTimeout` (3 minutes) take 25 hours. The maximum is 1,000 (SQS developer
 * guide, "Configure a dead-letter queue").
 */
const maxReceiveCount = 500;

/** For events that a queue does not accept. These are also EventBridge's defaults (API reference, RetryPolicy). */
const retryPolicy = {
  maximumEventAgeInSeconds: Duration.hours(24).toSeconds(),
  maximumRetryAttempts: 185,
};

/**
 * EventBridge needs the queue's policy (user guide, "Using resource-based policies"), which exists before the rules, so it names
 * them by a pattern. EventBridge does not retry a denied send, and drops the event if it may not send to the dead-letter queue
 * either (user guide, "Using dead-letter queues to process undelivered events").
 */
const allowRules = (queue: Queue, { eventBusName }: EventBus) => {
  const rules = queue.stack.formatArn({
    service: 'events',
    resource: 'rule',
    resourceName: `${eventBusName}/*`,
  });
  queue.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnLike: { 'aws:SourceArn': rules } },
    }),
  );
};

const addQueue = (
  scope: Construct,
  { types, client, url }: Webhook,
  deadLetterQueue: Queue,
  { bus, clientIdOf }: WebhooksProps,
) => {
  const name = scope.node.id;
  const queue = new Queue(scope, 'Queue', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // The maximum: events wait while the function does not run. Afterwards, each has at least one attempt. SQS keeps the time of
    // sending, so with fewer days, a dead-letter queue would delete what it receives.
    retentionPeriod: Duration.days(deadLetterDays),
    visibilityTimeout,
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount },
  });
  const deadLetterConfig = { arn: deadLetterQueue.queueArn };
  const parameter = secretParameterOf(url);
  const warning = `The URL of the webhook ${name} has "${parameter}" in its query, which looks like a secret: everybody who can read the template can read it. Let the receiver verify the signature instead.`;
  if (parameter) Annotations.of(scope).addWarningV2('petstore:secretInUrl', warning);
  const rule = new CfnRule(scope, 'Rule', {
    description: `Events of the webhook ${name}`,
    eventBusName: bus.eventBusName,
    eventPattern: {
      source: ['petstore'],
      'detail-type': types.map(type => (type.endsWith('*') ? { prefix: type.slice(0, -1) } : type)),
      // Only events of orders have `clientid`.
      ...(client !== undefined && { detail: { clientid: [clientIdOf(client)] } }),
    },
    targets: [
      { id: 'Queue', arn: queue.queueArn, inputPath: '$.detail', retryPolicy, deadLetterConfig },
    ],
  });
  allowRules(queue, bus);
  // The rule also depends on the policies of the queues.
  rule.node.addDependency(queue, deadLetterQueue);
  // `Ref` is `bus|rule` (github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/1949).
  return { queue, ruleName: Fn.select(1, Fn.split('|', rule.ref)) };
};

/** Each webhook has a rule and a queue of its own, so that a slow receiver delays no other. */
export const addWebhooks = (stack: Stack, props: WebhooksProps) => {
  const { settings, bus, code } = props;
  const scope = new Construct(stack, 'Webhooks');
  const deadLetterQueue = addDeadLetterQueue(scope, 'DeadLetterQueue', 'npm run webhooks:redrive');
  allowRules(deadLetterQueue, bus);
  const webhooks = Object.entries(settings.webhooks).map(([name, webhook]) => {
    const ofWebhook = new Construct(scope, name);
    return {
      ...webhook,
      name,
      scope: ofWebhook,
      ...addQueue(ofWebhook, webhook, deadLetterQueue, props),
    };
  });

  // The ARN of a secret ends with six random characters (IAM user guide, "Actions, resources, and condition keys for AWS
  // Secrets Manager").
  const secretArns = [...new Set(webhooks.map(({ secret }) => secret))].map(secret =>
    stack.formatArn({ service: 'secretsmanager', resource: `secret:${secret}-??????` }),
  );
  const queueArns = webhooks.map(({ queue }) => queue.queueArn);
  const sender = addFunction(scope, {
    description: 'Delivers events to webhooks',
    code,
    ...limits,
    settings,
    environment: {
      DEAD_LETTER_QUEUE_URL: deadLetterQueue.queueUrl,
      SECRETS_ENDPOINT: `https://secretsmanager.${stack.region}.${stack.urlSuffix}`,
      WEBHOOKS: stack.toJsonString(
        Object.fromEntries(
          webhooks.map(({ name, url, secret, queue }) => [queue.queueName, { name, url, secret }]),
        ),
      ),
    },
    grants: [
      // Lambda polls the queues with the first three actions (Lambda developer guide, "Execution role permissions" of SQS).
      [
        'sqs',
        ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'],
        queueArns,
      ],
      ['sqs', ['SendMessage'], [deadLetterQueue.queueArn]],
      ['secretsmanager', ['GetSecretValue'], secretArns],
    ],
  });
  acknowledge(scope, {
    'Serverless-LambdaDLQ':
      'It is not invoked asynchronously: its queues have a dead-letter queue.',
  });
  // A failed message is retried alone. `maxConcurrency` limits each webhook by itself. A message that waits for it does not count
  // as received; if Lambda throttled the function, it would.
  const mappings = webhooks.map(({ scope: ofWebhook, queue, concurrency: maxConcurrency }) => {
    const mapping = new EventSourceMapping(ofWebhook, 'Mapping', {
      target: sender.function,
      eventSourceArn: queue.queueArn,
      batchSize: 1,
      maxConcurrency,
      reportBatchItemFailures: true,
    });
    mapping.node.addDependency(sender.role);
    acknowledge(mapping, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A failed message stays in its queue, and the queue has a dead-letter queue.',
    });
    return mapping.eventSourceMappingId;
  });
  const events =
    'Queue of events that a webhook did not accept; it should be empty (npm run webhooks:redrive)';
  addOutputs(scope, {
    WebhooksDeadLetterQueueUrl: [deadLetterQueue.queueUrl, events],
    WebhooksMappingIds: [mappings.join(' '), 'In the variable MAPPINGS of the environment monitor'],
  });
  return { bus, deadLetterQueue, sender, webhooks };
};
export type Webhooks = ReturnType<typeof addWebhooks>;

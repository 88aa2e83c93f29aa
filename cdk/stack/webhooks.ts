import { Annotations, Duration, Fn, type Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { CfnRule, type EventBus } from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { retryHours } from '../../lib/webhook-retries.ts';
import type { Bundles } from '../bundle/bundle.ts';
import { deadLetterDays } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';
import { sender as limits, secretParameterOf, type Webhook } from '../config/webhooks.ts';
import { acknowledge } from './acknowledge.ts';
import { addDeadLetterQueue } from './dead-letter-queue.ts';
import type { Events } from './events.ts';
import { addFunction } from './function.ts';
import { addOutputs } from './outputs.ts';
import {
  type Alarms,
  deadLettered,
  deadLettersOf,
  graph,
  logQuery,
  maximum,
  metric,
  type Part,
  period,
  sum,
} from './part.ts';

interface WebhooksProps {
  readonly settings: Settings;
  readonly events: Events;
  readonly bundles: Bundles;
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
  bus: EventBus,
  clientIdOf: WebhooksProps['clientIdOf'],
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
  return { name, queue, ruleName: Fn.select(1, Fn.split('|', rule.ref)) };
};

/**
 * Lambda receives a message once per attempt, and deletes it after the last attempt. So receives without a delete are retries.
 * SQS leaves messages with more than three receives out of the metric of the oldest age (SQS developer guide, "Available
 * CloudWatch metrics for Amazon SQS"). The log query has the age of every message.
 */
const widgetsOf = (
  eventBusName: string,
  queues: readonly ReturnType<typeof addQueue>[],
  deadLetterQueue: Queue,
  senderLogs: readonly ILogGroup[],
) => {
  const attempts = queues.flatMap(({ name, queue }) => {
    const received = queue.metricNumberOfMessagesReceived({ ...sum, label: `${name}: attempts` });
    const id = name.replaceAll('-', '_');
    const retried = new cloudwatch.MathExpression({
      expression: `received_${id} - FILL(deleted_${id}, 0)`,
      usingMetrics: {
        [`received_${id}`]: received,
        [`deleted_${id}`]: queue.metricNumberOfMessagesDeleted(sum),
      },
      label: `${name}: retried attempts`,
      period,
    });
    return [received, retried];
  });
  const ages = queues.map(({ name: label, queue }) =>
    queue.metricApproximateAgeOfOldestMessage({ ...maximum, label }),
  );
  // A rule of a custom bus has both dimensions. EventBridge counts an event that it dropped, because neither the queue nor the
  // dead-letter queue accepted it (EventBridge user guide, "Monitoring Amazon EventBridge").
  const dropped = queues.map(({ name, ruleName: RuleName }) => {
    const dimensions = { EventBusName: eventBusName, RuleName };
    return metric('AWS/Events', 'InvocationsFailedToBeSentToDlq', dimensions, `${name}: dropped`);
  });
  const right = [deadLettersOf(deadLetterQueue, 'Dead-lettered'), ...dropped];
  return [
    graph('Webhooks: attempts', attempts, { right }),
    graph('Webhooks: age of the oldest event with at most three attempts, seconds', ages),
    logQuery('Webhook attempts by outcome', senderLogs),
    logQuery('Failed webhook attempts', senderLogs),
  ];
};

const alarmsOf = (deadLetterQueue: Queue): Alarms => ({
  WebhookDeliveryFailed: {
    wait: "It can wait until the partner's morning",
    notice: `a partner misses events: the webhooks dead-letter queue has some that were not delivered within ${retryHours} hours`,
    first: ['webhooks:redrive'],
    ...deadLettered(deadLetterQueue),
  },
});

/** Each webhook has a rule and a queue of its own, so that a slow receiver delays no other. */
export const addWebhooks = (
  stack: Stack,
  { settings, events, bundles, clientIdOf }: WebhooksProps,
): Part | undefined => {
  if (!events || Object.keys(settings.webhooks).length === 0) return undefined;
  const { bus } = events;
  const scope = new Construct(stack, 'Webhooks');
  const deadLetterQueue = addDeadLetterQueue(scope, 'DeadLetterQueue', 'npm run webhooks:redrive');
  allowRules(deadLetterQueue, bus);
  const webhooks = Object.entries(settings.webhooks).map(([name, webhook]) => {
    const ofWebhook = new Construct(scope, name);
    return {
      ...webhook,
      scope: ofWebhook,
      ...addQueue(ofWebhook, webhook, deadLetterQueue, bus, clientIdOf),
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
    code: bundles.folderOf('deliverWebhooks'),
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
  const undelivered =
    'Queue of events that a webhook did not accept; it should be empty (npm run webhooks:redrive)';
  addOutputs(scope, {
    WebhooksDeadLetterQueueUrl: [deadLetterQueue.queueUrl, undelivered],
    WebhooksMappingIds: [mappings.join(' '), 'In the variable MAPPINGS of the environment monitor'],
  });
  const logGroups = { sender: [sender.logGroup] };
  return {
    logGroups,
    alarms: () => alarmsOf(deadLetterQueue),
    widgets: () => widgetsOf(bus.eventBusName, webhooks, deadLetterQueue, logGroups.sender),
  };
};

import { Annotations, Duration, Stack } from 'aws-cdk-lib';
import { CfnRule, type EventBus } from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { sender } from '../config/limits.ts';
import { senderPermissions } from '../config/permissions.ts';
import type { Settings } from '../config/settings.ts';
import { secretParameterOf, type Webhook } from '../config/webhooks.ts';
import { acknowledge } from './acknowledge.ts';
import { addDeadLetterQueue } from './dead-letter-queue.ts';
import { addFunction } from './function.ts';
import { addOutputs } from './outputs.ts';

interface PetstoreWebhooksProps {
  readonly settings: Settings;
  readonly bus: EventBus;
  /** The folder with the sender's bundle. */
  readonly code: string;
  /** A client's id, by what the settings call it. */
  readonly clientIdOf: (client: string) => string;
}

/** Six times the function's timeout (Lambda developer guide, "Creating and configuring an Amazon SQS event source mapping"). */
const visibilityTimeout = Duration.seconds(6 * sender.timeout);

/**
 * Receives after which SQS moves a message to the dead-letter queue: one that always ends the function early, without its own
 * retries (lib/webhooks/deliver.ts), is there an hour after these would have ended (a test compares). These make some 60
 * attempts. At most 1,000 (SQS developer guide, "Configure a dead-letter queue").
 */
const maxReceiveCount = 500;

/** The maximum: while the function does not run, events wait in the queue, and each has at least one attempt afterwards. */
const retention = Duration.days(14);

/** How long EventBridge retries if a queue does not accept an event, which are its defaults, too (API reference, RetryPolicy). */
const retryPolicy = { maximumEventAgeInSeconds: Duration.hours(24).toSeconds(), maximumRetryAttempts: 185 };

/**
 * Sends events to partners' receivers: each webhook has a rule on the bus and a queue, so that a slow receiver delays no other,
 * and one function delivers the events of all queues. Events that cannot be delivered are in one dead-letter queue.
 */
export class PetstoreWebhooks extends Construct {
  /** It should be empty. */
  readonly deadLetterQueue: Queue;
  readonly sender: ReturnType<typeof addFunction>;
  /** By the name of the webhook. */
  readonly queues: ReadonlyMap<string, Queue>;

  constructor(scope: Construct, id: string, props: PetstoreWebhooksProps) {
    super(scope, id);
    this.deadLetterQueue = addDeadLetterQueue(this, 'DeadLetterQueue', 'npm run webhooks:redrive');
    this.allowRules(this.deadLetterQueue, props.bus);
    const given = Object.entries(props.settings.webhooks);
    this.queues = new Map(given.map(([name, webhook]) => [name, this.addQueue(name, webhook, props)]));
    this.sender = this.addSender(props);
    for (const [name, { concurrency }] of given) this.addMapping(name, concurrency);
    const events = 'Queue of events that a webhook did not accept; it should be empty (npm run webhooks:redrive)';
    addOutputs(this, {
      WebhookNames: [
        [...this.queues.keys()].join(),
        'The names of the webhooks, for npm run webhooks:redrive -- --webhook',
      ],
      WebhooksDeadLetterQueueUrl: [this.deadLetterQueue.queueUrl, events],
    });
  }

  private addQueue(name: string, { types, client, url }: Webhook, { bus, clientIdOf }: PetstoreWebhooksProps): Queue {
    const scope = new Construct(this, name);
    const queue = new Queue(scope, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: retention,
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount },
    });
    const parameter = secretParameterOf(url);
    const warning = `The URL of the webhook ${name} has "${parameter}" in its query, which looks like a secret: everybody who can read the template can read it. Let the receiver verify the signature instead.`;
    if (parameter) Annotations.of(scope).addWarningV2('petstore:secretInUrl', warning);
    const rule = new CfnRule(scope, 'Rule', {
      description: `Events of the webhook ${name}`,
      eventBusName: bus.eventBusName,
      eventPattern: {
        source: ['petstore'],
        'detail-type': types.map(type => (type.endsWith('*') ? { prefix: type.slice(0, -1) } : type)),
        // Only events of orders have it.
        ...(client !== undefined && { detail: { clientid: [clientIdOf(client)] } }),
      },
      targets: [
        {
          id: 'Queue',
          arn: queue.queueArn,
          inputPath: '$.detail',
          retryPolicy,
          deadLetterConfig: { arn: this.deadLetterQueue.queueArn },
        },
      ],
    });
    this.allowRules(queue, bus);
    // On their policies, too.
    rule.node.addDependency(queue, this.deadLetterQueue);
    return queue;
  }

  /**
   * A queue as a target has a policy and no role (EventBridge user guide, "Using resource-based policies"). It exists before the
   * rule, so it has a pattern of the ARNs of the bus's rules. EventBridge does not retry without permission, and drops events
   * that it may not dead-letter either (user guide, "Using dead-letter queues to process undelivered events").
   */
  private allowRules(queue: Queue, { eventBusName }: EventBus) {
    const rules = Stack.of(this).formatArn({ service: 'events', resource: 'rule', resourceName: `${eventBusName}/*` });
    queue.addToResourcePolicy(
      new iam.PolicyStatement({
        principals: [new iam.ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { ArnLike: { 'aws:SourceArn': rules } },
      }),
    );
  }

  private addSender({ settings, code }: PetstoreWebhooksProps) {
    const stack = Stack.of(this);
    const webhooks = [...this.queues].map(([name, queue]) => ({ ...settings.webhooks[name]!, name, queue }));
    // The ARN of a secret ends with six random characters (IAM user guide, "Actions, resources, and condition keys for AWS
    // Secrets Manager").
    const secretArns = [...new Set(webhooks.map(({ secret }) => secret))].map(secret =>
      stack.formatArn({ service: 'secretsmanager', resource: `secret:${secret}-??????` }),
    );
    const { queues, deadLetterQueue, secrets } = senderPermissions;
    const added = addFunction(this, {
      description: 'Delivers events to webhooks',
      code,
      memory: sender.memory,
      timeout: sender.timeout,
      settings,
      environment: {
        DEAD_LETTER_QUEUE_URL: this.deadLetterQueue.queueUrl,
        SECRETS_ENDPOINT: `https://secretsmanager.${stack.region}.${stack.urlSuffix}`,
        WEBHOOKS: stack.toJsonString(
          Object.fromEntries(webhooks.map(({ name, url, secret, queue }) => [queue.queueName, { name, url, secret }])),
        ),
      },
      grants: [
        ['sqs', queues, webhooks.map(({ queue }) => queue.queueArn)],
        ['sqs', deadLetterQueue, [this.deadLetterQueue.queueArn]],
        ['secretsmanager', secrets, secretArns],
      ],
    });
    acknowledge(this, {
      'Serverless-LambdaDLQ': 'It is not invoked asynchronously: its queues have a dead-letter queue.',
    });
    return added;
  }

  /**
   * One message at a time, so that a failed one is retried alone. `maxConcurrency` limits each webhook by itself, and does not
   * use up receives, as throttling the function would.
   */
  private addMapping(name: string, maxConcurrency: number) {
    const { function: target } = this.sender;
    const mapping = new EventSourceMapping(this.node.findChild(name) as Construct, 'Mapping', {
      target,
      eventSourceArn: this.queues.get(name)!.queueArn,
      batchSize: 1,
      maxConcurrency,
      reportBatchItemFailures: true,
    });
    mapping.node.addDependency(target.role!);
    acknowledge(mapping, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A failed message stays in its queue, and the queue has a dead-letter queue.',
    });
  }
}

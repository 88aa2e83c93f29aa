import { CfnOutput, Duration, SecretValue, Stack } from 'aws-cdk-lib';
import { ApiDestination, Authorization, CfnRule, Connection, type EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';
import type { Webhook } from '../config/webhooks.ts';
import { addDeadLetterQueue } from './dead-letter-queue.ts';

interface PetstoreWebhooksProps {
  readonly webhooks: Settings['webhooks'];
  readonly bus: EventBus;
  /** A client's id, by what the settings call it. */
  readonly clientIdOf: (client: string) => string;
}

/** The header with the secret; contract, section 8. */
const secretHeader = 'X-Webhook-Secret';
/** CloudEvents 1.0, "HTTP protocol binding", structured mode. EventBridge says application/json by itself. */
const contentType = 'application/cloudevents+json; charset=UTF-8';
/** The longest and the most that EventBridge tries (API reference, RetryPolicy), which are its defaults too. */
const retry = { maximumEventAgeInSeconds: Duration.hours(24).toSeconds(), maximumRetryAttempts: 185 };

/**
 * Sends events to partners' servers: for each a rule on the bus with an API destination, whose connection holds the secret.
 * What could not be delivered goes into one queue for all.
 */
export class PetstoreWebhooks extends Construct {
  /** It should be empty; what is in it is said by the message's attributes (EventBridge user guide, "Using dead-letter queues"). */
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { webhooks, bus, clientIdOf }: PetstoreWebhooksProps) {
    super(scope, id);
    this.deadLetterQueue = addDeadLetterQueue(this, 'DeadLetterQueue', 'npm run webhooks:redrive');
    const rules = Object.entries(webhooks).map(([name, webhook]) => this.addWebhook(name, webhook, bus, clientIdOf));
    // One statement for all: a queue's policy may have 20.
    this.deadLetterQueue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.deadLetterQueue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': rules.map(({ attrArn }) => attrArn) } },
      }),
    );
    new CfnOutput(Stack.of(this), 'WebhooksDeadLetterQueueUrl', {
      value: this.deadLetterQueue.queueUrl,
      description: 'Queue of events that a webhook did not take; it should be empty (npm run webhooks:redrive)',
    });
  }

  private addWebhook(
    name: string,
    { url, types, client, secret, rate }: Webhook,
    bus: EventBus,
    clientIdOf: (client: string) => string,
  ): CfnRule {
    const scope = new Construct(this, name);
    const connection = new Connection(scope, 'Connection', {
      // A dynamic reference, which CloudFormation resolves when the connection is made or changed, and then only.
      authorization: Authorization.apiKey(secretHeader, SecretValue.secretsManager(secret)),
      description: `The secret of the webhook ${name}`,
    });
    const destination = new ApiDestination(scope, 'Destination', {
      connection,
      endpoint: url,
      rateLimitPerSecond: rate,
      description: `The webhook ${name}`,
    });
    const rule = new CfnRule(scope, 'Rule', {
      description: `What is sent to the webhook ${name}`,
      eventBusName: bus.eventBusName,
      eventPattern: {
        // The second is of events that are sent to this webhook once more (cdk/commands/webhooks/redrive.ts), and to no other.
        source: ['petstore', `petstore.webhook.${name}`],
        'detail-type': types.map(type => (type.endsWith('*') ? { prefix: type.slice(0, -1) } : type)),
        // Events of orders alone have it.
        ...(client !== undefined && { detail: { clientid: [clientIdOf(client)] } }),
      },
      targets: [
        {
          id: 'Webhook',
          arn: destination.apiDestinationArn,
          roleArn: this.addRole(scope, bus, destination).roleArn,
          inputPath: '$.detail',
          httpParameters: { headerParameters: { 'Content-Type': contentType } },
          retryPolicy: retry,
          deadLetterConfig: { arn: this.deadLetterQueue.queueArn },
        },
      ],
    });
    return rule;
  }

  /** A role for each: a rule may call the destination of its own webhook and nothing else. */
  private addRole(scope: Construct, bus: EventBus, destination: ApiDestination): Role {
    const stack = Stack.of(this);
    const role = new Role(scope, 'Role', {
      // The rule's own ARN cannot stand here, because the rule names the role; a rule of this bus it is in any case
      // (EventBridge user guide, "Cross-service confused deputy prevention").
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': stack.account },
          ArnLike: {
            'aws:SourceArn': stack.formatArn({
              service: 'events',
              resource: 'rule',
              resourceName: `${bus.eventBusName}/*`,
            }),
          },
        },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({ actions: ['events:InvokeApiDestination'], resources: [destination.apiDestinationArn] }),
    );
    return role;
  }
}

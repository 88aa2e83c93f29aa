import type { ServerResponse } from 'node:http';
import type { Template } from '../../build/template.ts';
import type { Engine } from '../engine/start-engine.ts';
import { listen, loopback, receiveBody } from '../http-server.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import { createAwsJsonApi } from './aws-json-api.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { sendToDeadLetterQueue } from './dead-letter-queue.ts';
import { createEventBus } from './event-bus.ts';
import { createEventDelivery } from './event-delivery.ts';
import { readEventResources } from './event-resources.ts';
import { createPendingDeliveries } from './pending-deliveries.ts';
import { createQueue } from './sqs-queue.ts';
import { createStreamClient } from './stream-client.ts';
import { startStreamPoller } from './stream-poller.ts';

/** Streams published events, one CloudEvent per line. Only the local server has this path. */
export const eventFeedPath = '/local/events';

interface LocalEventsOptions {
  /** The data folder; absent: everything is in memory. */
  readonly folder: string | undefined;
  readonly report: (error: unknown) => void;
  /** Called with log lines in the format of Lambda. */
  readonly log: (text: string, id: string) => void;
  readonly trimStream: Engine['trimStream'];
}

/**
 * Serves the bus, the rules and the queues of a template over the AWS JSON protocol, and polls its stream.
 * @returns undefined when the template has none of them
 */
export const startLocalEvents = async (template: Template, { folder, report, log, trimStream }: LocalEventsOptions) => {
  const resources = readEventResources(template);
  if (!resources) return undefined;
  const { eventsDeadLetterQueue, webhooksDeadLetterQueue, rules } = resources;
  const bus = createEventBus(resources.bus);
  const queues = new Map([[eventsDeadLetterQueue, createQueue(folder, 'events-dead-letter-queue')]]);
  if (webhooksDeadLetterQueue) queues.set(webhooksDeadLetterQueue, createQueue(folder, 'webhooks-dead-letter-queue'));
  const handleCall = createAwsJsonApi(bus, rules, queues);
  const delivery = createEventDelivery({
    rules,
    pending: createPendingDeliveries(folder),
    sendToDeadLetterQueue: undelivered =>
      sendToDeadLetterQueue(queues.get(undelivered.rule.deadLetterQueue)!, resources.bus, undelivered),
    log: ({ id }, level, message) =>
      log(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message })}\n`, id),
    report,
  });
  bus.listeners.add(delivery.deliverEvent);
  const server = await listen(
    async (request, response) => {
      const target = request.headers['x-amz-target'] as string | undefined;
      handleCall(target, (await receiveBody(request)).toString(), response);
    },
    loopback,
    0,
    report,
  );
  const url = `http://${loopback}:${server.port}`;
  const queueUrl = (queue: string) => `${url}/000000000000/${queue}`;

  return {
    /** The addresses of bus and queue in the environment of the publisher. */
    environment: { EVENTS_ENDPOINT: url, DEAD_LETTER_QUEUE_URL: queueUrl(eventsDeadLetterQueue) },

    /** The dead-letter queue of the webhooks; undefined: the stack has none. */
    webhooksQueueUrl: webhooksDeadLetterQueue && queueUrl(webhooksDeadLetterQueue),

    /** With a data folder, the next server delivers the pending events. */
    stop: (): void => {
      server.stop();
      delivery.stop();
    },

    /** Streams events to a client until it disconnects. */
    streamEvents: (response: ServerResponse): void => {
      const write = ({ detail }: { detail: unknown }) => void response.write(`${JSON.stringify(detail)}\n`);
      bus.listeners.add(write);
      response.once('close', () => bus.listeners.delete(write));
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders();
    },

    /** Starts to poll the table's stream. @returns what stops it */
    startPolling: async (
      functionOf: (id: string) => LambdaFunction,
      tableName: string,
    ): Promise<() => Promise<void>> => {
      const { mapping } = resources;
      const { invoke, definition } = functionOf(mapping.function);
      const { DYNAMODB_ENDPOINT: endpoint = '', AWS_ACCESS_KEY_ID: accessKey = '' } = definition.environment;
      const client = createStreamClient(endpoint, accessKey);
      const stream = await client.streamOf(tableName);
      const saved = createCheckpoints(stream, folder);
      const checkpoints: Checkpoints = {
        of: saved.of,
        save: (shard, sequenceNumber) => {
          saved.save(shard, sequenceNumber);
          trimStream(tableName, shard, sequenceNumber);
        },
      };
      return startStreamPoller({ client, stream, checkpoints, mapping, invoke, report });
    },
  };
};

export type LocalEvents = NonNullable<Awaited<ReturnType<typeof startLocalEvents>>>;

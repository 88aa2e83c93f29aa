import type { ServerResponse } from 'node:http';
import type { Template } from '../../build/template.ts';
import type { Engine } from '../engine/start-engine.ts';
import { listen, loopback, receiveBody } from '../http-server.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import { createAwsJsonApi } from './aws-json-api.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { type BusEvent, createEventBus } from './event-bus.ts';
import { type EventResources, readEventResources } from './event-resources.ts';
import { createQueueClient } from './queue-client.ts';
import { startQueuePoller } from './queue-poller.ts';
import { createQueue, type LocalQueue } from './sqs-queue.ts';
import { createStreamClient } from './stream-client.ts';
import { startStreamPoller } from './stream-poller.ts';

/** Streams published events, one CloudEvent per line. Only the local server has this path. */
export const eventFeedPath = '/local/events';

interface LocalEventsOptions {
  /** The data folder; absent: everything is in memory. */
  readonly folder: string | undefined;
  readonly report: (error: unknown) => void;
  readonly trimStream: Engine['trimStream'];
}

/** As EventBridge does: each rule sends the detail of a matching event to its queue. */
const applyRules =
  ({ rules }: EventResources, queues: ReadonlyMap<string, LocalQueue>) =>
  (event: BusEvent): void => {
    for (const { matches, queue } of rules)
      if (matches(event)) queues.get(queue)!.sendMessage({ MessageBody: JSON.stringify(event.detail) });
  };

/**
 * Serves the bus, the rules and the queues of a template over the AWS JSON protocol, and polls its stream and its queues.
 * @returns undefined when the template has none of them
 */
export const startLocalEvents = async (template: Template, { folder, report, trimStream }: LocalEventsOptions) => {
  const resources = readEventResources(template);
  if (!resources) return undefined;
  const { streamMapping, queueMappings } = resources;
  const bus = createEventBus(resources.bus);
  const queues = new Map<string, LocalQueue>();
  for (const definition of resources.queues)
    queues.set(
      definition.id,
      createQueue(definition, folder, id => queues.get(id)!),
    );
  bus.listeners.add(applyRules(resources, queues));
  const handleCall = createAwsJsonApi({ bus, queues });
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

  const pollStream = async (functionOf: (id: string) => LambdaFunction, tableName: string) => {
    const { invoke, definition } = functionOf(streamMapping.function);
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
    return startStreamPoller({ client, stream, checkpoints, mapping: streamMapping, invoke, report });
  };

  const pollQueues = (functionOf: (id: string) => LambdaFunction) =>
    queueMappings.map(mapping => {
      const { invoke, definition } = functionOf(mapping.function);
      const { DEAD_LETTER_QUEUE_URL: queue = url, AWS_ACCESS_KEY_ID: accessKey = '' } = definition.environment;
      const client = createQueueClient(new URL(queue).origin, accessKey);
      return startQueuePoller({ client, mapping, timeout: definition.timeout, invoke, report });
    });

  return {
    url,
    queueUrl,

    /** The variables of a function's environment that are addresses of AWS services. */
    environmentOf: (environment: Readonly<Record<string, string>>): Record<string, string> => {
      const { EVENTS_ENDPOINT: events, SECRETS_ENDPOINT: secrets, DEAD_LETTER_QUEUE_URL: queue } = environment;
      return {
        ...(events && { EVENTS_ENDPOINT: url }),
        ...(secrets && { SECRETS_ENDPOINT: url }),
        ...(queue && { DEAD_LETTER_QUEUE_URL: queueUrl(queue) }),
      };
    },

    /** With a data folder, the next server delivers what is in the queues. */
    stop: (): void => server.stop(),

    /** Streams events to a client until it disconnects. */
    streamEvents: (response: ServerResponse): void => {
      const write = ({ detail }: { detail: unknown }) => void response.write(`${JSON.stringify(detail)}\n`);
      bus.listeners.add(write);
      response.once('close', () => bus.listeners.delete(write));
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders();
    },

    /** Starts to poll the table's stream and the queues with functions. @returns what stops it */
    startPolling: async (
      functionOf: (id: string) => LambdaFunction,
      tableName: string,
    ): Promise<() => Promise<void>> => {
      const stops = [await pollStream(functionOf, tableName), ...pollQueues(functionOf)];
      return async () => void (await Promise.all(stops.map(stop => stop())));
    },
  };
};

export type LocalEvents = NonNullable<Awaited<ReturnType<typeof startLocalEvents>>>;

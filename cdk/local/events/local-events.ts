import type { ServerResponse } from 'node:http';
import type { Template } from '../../synthesis/template.ts';
import type { Engine } from '../engine/start-engine.ts';
import { type Listener, listen, loopback, receiveBody } from '../http-server.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import type { State } from '../state.ts';
import { createAwsJsonApi } from './aws-json-api.ts';
import { createAwsJsonClient } from './aws-json-client.ts';
import { createEventBus } from './event-bus.ts';
import { type QueueMapping, readEventResources } from './event-resources.ts';
import { startQueuePoller } from './queue-poller.ts';
import { createQueue } from './sqs-queue.ts';
import { createStreamClient } from './stream-client.ts';
import { startStreamPoller } from './stream-poller.ts';

/** Streams published events, one CloudEvent per line. Only the local server has this path. */
export const eventFeedPath = '/local/events';

/**
 * @param state stores the checkpoints of the stream and the messages of the queues
 * @returns undefined if the stage publishes no events
 */
export const startLocalEvents = async (
  template: Template,
  state: State,
  trimStream: Engine['trimStream'],
  report: (error: unknown) => void,
) => {
  const resources = readEventResources(template);
  if (!resources) return undefined;
  const { streamMapping, queueMappings } = resources;
  const bus = createEventBus(resources.bus);
  const queues = new Map(
    resources.queues.map(definition => [definition.id, createQueue(definition, state)]),
  );
  const send = (queue: string, detail: object) => {
    try {
      queues.get(queue)!.sendMessage({ MessageBody: JSON.stringify(detail) });
    } catch (error) {
      report(
        new Error(`The queue ${queue} does not accept an event, which is lost.`, { cause: error }),
      );
    }
  };
  bus.listeners.add(event => {
    for (const { matches, queue } of resources.rules) if (matches(event)) send(queue, event.detail);
  });
  const handleCall = createAwsJsonApi({ bus, queues });
  const handle: Listener = async (request, response) => {
    const target = request.headers['x-amz-target'] as string | undefined;
    handleCall(target, (await receiveBody(request)).toString(), response);
  };
  const server = await listen(handle, loopback, 0, report);
  const url = `http://${loopback}:${server.port}`;
  const queueUrl = (queue: string) => urlOf(url, queue);

  const pollStream = async (functionOf: (id: string) => LambdaFunction, tableName: string) => {
    const { invoke, definition } = functionOf(streamMapping.function);
    const { DYNAMODB_ENDPOINT: endpoint = '', AWS_ACCESS_KEY_ID: accessKey = '' } =
      definition.environment;
    const client = createStreamClient(endpoint, accessKey);
    const stream = await client.streamOf(tableName);
    const { of, save } = checkpointsOf(stream, state);
    const checkpoints = {
      of,
      save: (shard: string, sequenceNumber: string) => {
        save(shard, sequenceNumber);
        trimStream(tableName, shard, sequenceNumber);
      },
    };
    const mapping = streamMapping;
    return startStreamPoller({ client, stream, checkpoints, mapping, invoke, report });
  };

  return {
    url,
    queueUrl,

    /** Replaces only variables that the function has. */
    environmentOf: (environment: Readonly<Record<string, string>>): Record<string, string> => {
      const {
        EVENTS_ENDPOINT: events,
        SECRETS_ENDPOINT: secrets,
        DEAD_LETTER_QUEUE_URL: queue,
      } = environment;
      return {
        ...(events && { EVENTS_ENDPOINT: url }),
        ...(secrets && { SECRETS_ENDPOINT: url }),
        ...(queue && { DEAD_LETTER_QUEUE_URL: queueUrl(queue) }),
      };
    },

    /** With a data folder, the next server delivers the remaining messages. */
    stop: (): void => server.stop(),

    streamEvents: (response: ServerResponse): void => {
      const write = ({ detail }: { detail: unknown }) =>
        void response.write(`${JSON.stringify(detail)}\n`);
      bus.listeners.add(write);
      response.once('close', () => bus.listeners.delete(write));
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders();
    },

    /** @returns a function that stops the polling */
    startPolling: async (functionOf: (id: string) => LambdaFunction, tableName: string) => {
      const pollOne = (mapping: QueueMapping) =>
        pollQueue(mapping, functionOf(mapping.function), url, report);
      const stops = [await pollStream(functionOf, tableName), ...queueMappings.map(pollOne)];
      return async () => void (await Promise.all(stops.map(stop => stop())));
    },
  };
};

const urlOf = (origin: string, queue: string) => `${origin}/000000000000/${queue}`;

/** By shard. */
const checkpointsOf = (stream: string, state: State) => {
  const load = state.prepare('SELECT sequence_number FROM checkpoints WHERE shard = ?');
  const store = state.prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)');
  return {
    of: (shard: string) => load.get(`${stream}/${shard}`)?.sequence_number as string | undefined,
    save: (shard: string, sequenceNumber: string) =>
      void store.run(`${stream}/${shard}`, sequenceNumber),
  };
};

const pollQueue = (
  mapping: QueueMapping,
  { invoke, definition }: LambdaFunction,
  url: string,
  report: (error: unknown) => void,
) => {
  const { timeout, environment } = definition;
  const { DEAD_LETTER_QUEUE_URL = url, AWS_ACCESS_KEY_ID: accessKey = '' } = environment;
  // In a test, this variable can name a proxy in front of the queues.
  const { origin } = new URL(DEAD_LETTER_QUEUE_URL);
  const call = createAwsJsonClient('sqs', origin, accessKey);
  const options = { mapping, timeout, invoke, report };
  return startQueuePoller({ call, url: urlOf(origin, mapping.queue), ...options });
};

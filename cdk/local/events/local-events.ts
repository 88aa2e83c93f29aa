import type { ServerResponse } from 'node:http';
import type { Template } from '../../build/template.ts';
import { listen, loopback, receiveBody } from '../http-server.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import { createServices } from './aws-json-api.ts';
import { positionsOf } from './checkpoints.ts';
import { keepDeadLetter } from './dead-letter-queue.ts';
import { createBus } from './event-bus.ts';
import { createDeliveries } from './event-delivery.ts';
import { readEvents } from './event-resources.ts';
import { createPending } from './pending-deliveries.ts';
import { createQueue } from './sqs-queue.ts';
import { streamClient } from './stream-client.ts';
import { followStream } from './stream-poller.ts';

/** Where a server of this machine tells what happens, as it happens: a CloudEvent a line. The deployed API has no such path. */
export const feedPath = '/local/events';

interface Surroundings {
  /** Where data are kept between runs. */
  readonly folder: string | undefined;
  readonly report: (error: unknown) => void;
  /** Is given lines as functions log them. */
  readonly log: (text: string, id: string) => void;
}

/**
 * The bus, its rules, the queues and the reading of the stream that a template asks for, reached as AWS's services are;
 * undefined when it asks for none.
 */
export const startLocalEvents = async (template: Template, { folder, report, log }: Surroundings) => {
  const definition = readEvents(template);
  if (!definition) return undefined;
  const { keptRecords, deadLetters, rules } = definition;
  const bus = createBus(definition.bus);
  const queues = new Map([[keptRecords, createQueue(folder, 'kept-records')]]);
  if (deadLetters) queues.set(deadLetters, createQueue(folder, 'dead-letters'));
  const answer = createServices(bus, rules, queues);
  const deliveries = createDeliveries({
    rules,
    pending: createPending(folder),
    bury: letter => keepDeadLetter(queues.get(letter.rule.deadLetters)!, definition.bus, letter),
    say: ({ id }, level, message) =>
      log(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message })}\n`, id),
    report,
  });
  bus.listeners.add(deliveries.take);
  const services = await listen(
    async (request, response) => {
      const target = request.headers['x-amz-target'] as string | undefined;
      answer(target, (await receiveBody(request)).toString(), response);
    },
    loopback,
    0,
    report,
  );
  const url = `http://${loopback}:${services.port}`;
  const queueUrl = (queue: string) => `${url}/000000000000/${queue}`;

  return {
    /** What functions know bus and queue by. */
    environment: { EVENTS_ENDPOINT: url, KEPT_RECORDS_URL: queueUrl(keptRecords) },

    /** The dead-letter queue of the webhooks; undefined: the stack has none. */
    webhooksQueueUrl: deadLetters && queueUrl(deadLetters),

    /** What is on its way then is sent by the next server there. */
    stop: (): void => {
      services.stop();
      deliveries.stop();
    },

    /** Tells events to a listener from now on, until it goes. */
    feed: (response: ServerResponse): void => {
      const tell = ({ detail }: { detail: unknown }) => void response.write(`${JSON.stringify(detail)}\n`);
      bus.listeners.add(tell);
      response.once('close', () => bus.listeners.delete(tell));
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders();
    },

    /** Hands the stream's records to its function from now on. @returns what ends it */
    follow: async (functionOf: (id: string) => LambdaFunction, tableName: string): Promise<() => Promise<void>> => {
      const { mapping } = definition;
      const { invoke, definition: reader } = functionOf(mapping.function);
      const { DYNAMODB_ENDPOINT: endpoint = '', AWS_ACCESS_KEY_ID: accessKey = '' } = reader.environment;
      const client = streamClient(endpoint, accessKey);
      const stream = await client.streamOf(tableName);
      return followStream({ client, stream, positions: positionsOf(stream, folder), mapping, invoke, report });
    },
  };
};

export type LocalEvents = NonNullable<Awaited<ReturnType<typeof startLocalEvents>>>;

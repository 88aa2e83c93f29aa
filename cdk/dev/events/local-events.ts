import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Template } from '../../assembly/template.ts';
import type { LambdaFunction } from '../lambda.ts';
import { createBus } from './bus.ts';
import { readEvents } from './definition.ts';
import { followStream } from './follow-stream.ts';
import { positionsOf } from './positions.ts';
import { createQueue } from './queue.ts';
import { createServices } from './services.ts';
import { streamClient } from './stream-client.ts';

/** Where a server of this machine tells what happens, as it happens: a CloudEvent a line. The deployed API has no such path. */
export const feedPath = '/local/events';
/** And where it says what a command needs to tell something again. */
export const descriptionPath = '/local';

/**
 * The bus, the queue and the reading of the stream that a template asks for; undefined when it asks for none.
 * @param folder where data are kept between runs
 */
export const createLocalEvents = (template: Template, folder: string | undefined) => {
  const definition = readEvents(template);
  if (!definition) return undefined;
  const bus = createBus(definition.bus);
  const answer = createServices(bus, createQueue(folder));

  return {
    /** Answers a call to the bus or the queue. */
    answerCall: async (request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> =>
      answer(request.headers['x-amz-target'] as string | undefined, body.toString(), response),

    /** What functions know bus and queue by. @param url where `answerCall` is reached */
    environmentAt: (url: string): Record<string, string> => ({
      EVENTS_ENDPOINT: url,
      KEPT_RECORDS_URL: `${url}/000000000000/${definition.queue}`,
    }),

    /** Tells events to a listener from now on, until it goes. */
    feed: (response: ServerResponse): void => {
      const listen = ({ detail }: { detail: unknown }) => void response.write(`${JSON.stringify(detail)}\n`);
      bus.listeners.add(listen);
      response.once('close', () => bus.listeners.delete(listen));
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders();
    },

    /** Hands the stream's records to its function from now on. @returns what ends it */
    follow: async (
      functionOf: (id: string) => LambdaFunction,
      tableName: string,
      report: (error: unknown) => void,
    ): Promise<() => Promise<void>> => {
      const { mapping } = definition;
      const { invoke, definition: reader } = functionOf(mapping.function);
      const { DYNAMODB_ENDPOINT: endpoint = '', AWS_ACCESS_KEY_ID: accessKey = '' } = reader.environment;
      const client = streamClient(endpoint, accessKey);
      const stream = await client.streamOf(tableName);
      return followStream({ client, stream, positions: positionsOf(stream, folder), mapping, invoke, report });
    },
  };
};

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { storedCategory } from '../../lib/model/category-item.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';

interface PutEvents {
  readonly Entries: readonly unknown[];
}

/** A bus whose responses a test defines. */
const startBus = async () => {
  const bus = { calls: [] as PutEvents[], respond: (_: ServerResponse, __: PutEvents): unknown => undefined };
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as PutEvents;
    bus.calls.push(body);
    bus.respond(response, body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(bus, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
};

const accept = (response: ServerResponse, { Entries }: PutEvents) =>
  response.end(JSON.stringify({ FailedEntryCount: 0, Entries: Entries.map((_, index) => ({ EventId: `${index}` })) }));

let bus: Awaited<ReturnType<typeof startBus>>;
let sandbox: Sandbox | undefined;
beforeEach(async () => {
  bus = await startBus();
});
afterEach(async () => {
  await sandbox?.end();
  sandbox = undefined;
  bus.stop();
});

const eventSourceARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/petstore/stream/1';

/** The records of new categories, numbered from 1. */
const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const item = { ...storedCategory({ id: index + 1, name: 'Cats' }), writeCount: 1 };
    const { pk, sk } = item as unknown as { pk: string; sk: string };
    const images = { Keys: marshall({ pk, sk }), NewImage: marshall(item) };
    return { eventName: 'INSERT', eventSourceARN, dynamodb: { ...images, SequenceNumber: `${index + 1}` } };
  });

/**
 * The response of the deployed function to records. Its process is frozen with the response.
 * @param timeLeft until the function times out, in milliseconds; a second of it is reserved for the response
 */
const responseTo = async (count: number, timeLeft: number): Promise<unknown> => {
  sandbox = startSandbox({
    module: join(inject('bundles').outdir, 'publishEvents/index.mjs'),
    environment: {
      EVENT_SOURCE: '/petstore/test',
      EVENTS_GENERATION: '1',
      TABLE_NAME: 'petstore',
      EVENT_BUS: 'bus',
      EVENTS_ENDPOINT: bus.url,
      DEAD_LETTER_QUEUE_URL: `${bus.url}/queue`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'publisher',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
    event: { Records: recordsOf(count) },
    timeLeft,
  });
  return sandbox.result;
};
const retryFrom = (record: number) => ({ batchItemFailures: [{ itemIdentifier: `${record}` }] });

/** Thaws the process, and waits until it has nothing left to do. */
const thaw = async () => {
  await sandbox!.end();
  sandbox = undefined;
};

describe('the publisher before its timeout', () => {
  it('reports all records as failed when the bus does not respond, and sends nothing after it is thawed', async () => {
    expect(await responseTo(12, 2_500)).toEqual(retryFrom(1));
    await expect.poll(() => bus.calls.length).toBe(1);
    await thaw();
    expect(bus.calls.length).toBe(1);
  });

  it('reports the first record that the bus has not accepted', async () => {
    bus.respond = (response, body) => {
      if (bus.calls.length === 1) accept(response, body);
    };
    expect(await responseTo(25, 2_500)).toEqual(retryFrom(11));
    await thaw();
    expect(bus.calls.map(({ Entries }) => Entries.length)).toEqual([10, 10]);
  });

  it('sends nothing when no time is left, and reports all records as failed', async () => {
    bus.respond = accept;
    expect(await responseTo(3, 500)).toEqual(retryFrom(1));
    await thaw();
    expect(bus.calls).toEqual([]);
  });

  it('reports no failure when all records are published', async () => {
    bus.respond = accept;
    expect(await responseTo(25, 30_000)).toEqual({ batchItemFailures: [] });
  });
});

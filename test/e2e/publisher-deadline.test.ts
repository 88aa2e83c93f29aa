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

/** A bus that answers as a test says. */
const startBus = async () => {
  const bus = { calls: [] as PutEvents[], answer: (_: ServerResponse, __: PutEvents): unknown => undefined };
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as PutEvents;
    bus.calls.push(body);
    bus.answer(response, body);
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

const taken = (response: ServerResponse, { Entries }: PutEvents) =>
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

/** A record for each of so many new categories, numbered from 1. */
const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const item = { ...storedCategory({ id: index + 1, name: 'Cats' }), writes: 1 };
    const { pk, sk } = item as unknown as { pk: string; sk: string };
    const images = { Keys: marshall({ pk, sk }), NewImage: marshall(item) };
    return { eventName: 'INSERT', dynamodb: { ...images, SequenceNumber: `${index + 1}` } };
  });

/**
 * What the deployed function answers to records, in a process that is frozen with its answer.
 * @param timeLeft what it has left of its time, in milliseconds; a second of it is for the answer
 */
const answerTo = async (count: number, timeLeft: number): Promise<unknown> => {
  sandbox = startSandbox({
    module: join(inject('bundles').outdir, 'publishEvents/index.mjs'),
    environment: {
      EVENT_SOURCE: '/petstore/test',
      EVENTS_GENERATION: '1',
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
  return sandbox.answer;
};
const retryFrom = (record: number) => ({ batchItemFailures: [{ itemIdentifier: `${record}` }] });

/** Lets the process go on until it has nothing left to do. */
const thawed = async () => {
  await sandbox!.end();
  sandbox = undefined;
};

describe('the publisher, before Lambda cuts it off', () => {
  it('reports everything when the bus does not answer, and sends nothing when it is thawed', async () => {
    expect(await answerTo(12, 2_500)).toEqual(retryFrom(1));
    await expect.poll(() => bus.calls.length).toBe(1);
    await thawed();
    expect(bus.calls.length).toBe(1);
  });

  it('reports from the first record on that the bus has not taken', async () => {
    bus.answer = (response, body) => {
      if (bus.calls.length === 1) taken(response, body);
    };
    expect(await answerTo(25, 2_500)).toEqual(retryFrom(11));
    await thawed();
    expect(bus.calls.map(({ Entries }) => Entries.length)).toEqual([10, 10]);
  });

  it('begins nothing when no time is left, and reports all', async () => {
    bus.answer = taken;
    expect(await answerTo(3, 500)).toEqual(retryFrom(1));
    await thawed();
    expect(bus.calls).toEqual([]);
  });

  it('reports nothing when all is told', async () => {
    bus.answer = taken;
    expect(await answerTo(25, 30_000)).toEqual({ batchItemFailures: [] });
  });
});

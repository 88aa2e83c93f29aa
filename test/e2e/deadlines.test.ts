import { setTimeout as sleep } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { storedCategory } from '../../lib/model/category-item.ts';
import { awsJson, resultOf } from '../support/aws-json.ts';
import type { Fault } from '../support/aws-proxy.ts';
import { eventOf } from '../support/event-of.ts';
import { stockedPet } from '../support/fixtures.ts';
import { startForwarder } from '../support/forwarder.ts';
import { usePetstore } from '../support/petstore.ts';
import { functionId, invokeBundle, type Sandbox } from '../support/sandbox.ts';

/** As on Lambda, a process is frozen after its response, or before it if its time is over. */

const petstore = usePetstore();
const setInventory = functionId('setInventory');

/** @param timeLeft in milliseconds; half a second is reserved for the response */
const sellOut = (petId: number, timeLeft: number): Sandbox =>
  invokeBundle('setInventory', {
    environment: { TABLE_NAME: petstore.tableName, DYNAMODB_ENDPOINT: petstore.proxy.url },
    event: eventOf('setInventory', { petId }, { quantity: 0 }),
    timeLeft,
  });
const stockOf = async (petId: number) =>
  (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

describe('a function', () => {
  const injectFault = (faultOfWrite?: () => Fault) => {
    petstore.proxy.faultFor = ({ operation }) =>
      operation === 'TransactWriteItems' ? faultOfWrite?.() : undefined;
  };
  afterEach(() => injectFault());

  /** Another function executes the request, and the stock is set to 10. Then the frozen process is thawed. */
  const expectNothingWritten = async (petId: number, frozen: Sandbox) => {
    injectFault();
    for (const quantity of [0, 10]) {
      const { status } = await petstore.staff('PUT', `/store/inventory/${petId}`, {
        body: { quantity },
      });
      expect(status).toBe(200);
    }
    const calls = petstore.proxy.responses.length;
    frozen.thaw();
    expect(await frozen.result).toMatchObject({ statusCode: 503 });
    await frozen.end();
    expect(await stockOf(petId)).toBe(10);
    expect(
      petstore.proxy.responses.slice(calls).filter(({ call }) => call.function === setInventory),
    ).toEqual([]);
  };

  it('writes nothing when its process is thawed after the 503', async () => {
    const { id } = await stockedPet(petstore.staff, 7);
    injectFault(() => 'conflict');
    const frozen = sellOut(id, 1_000);
    await frozen.result;
    await expectNothingWritten(id, frozen);
  });

  it('writes nothing when its process was frozen before its response, beyond the deadline', async () => {
    const { id } = await stockedPet(petstore.staff, 7);
    const secondAttempt = Promise.withResolvers<void>();
    let attempts = 0;
    injectFault(() => {
      // Frozen while it waits for this response, so it cannot have sent a third attempt.
      if (++attempts === 2) secondAttempt.resolve(frozen.freeze());
      return 'conflict';
    });
    const timeLeft = 1_500;
    const frozen = sellOut(id, timeLeft);
    await Promise.race([secondAttempt.promise, frozen.result]);
    await sleep(timeLeft);
    await expectNothingWritten(id, frozen);
  });

  it('closes the connection of its unfinished call when it returns 503', async () => {
    const { id } = await stockedPet(petstore.staff, 7);
    injectFault(() => 'stallAfter');
    expect((await sellOut(id, 2_500).result).body).toMatch(/may or may not have happened/);
    await expect.poll(() => petstore.proxy.stalled.size).toBe(0);
  });
});

/** The events in each call to the bus. */
const calls: number[] = [];
let accepts = 0;
const bus = await startForwarder('', {
  request: awsJson(({ body: { Entries } }) =>
    calls.push(Entries.length) > accepts
      ? 'stall'
      : resultOf({ FailedEntryCount: 0, Entries: Entries.map(() => ({ EventId: '1' })) }),
  ),
});
afterAll(bus.stop);

describe('the publisher', () => {
  const eventSourceARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/petstore/stream/1';
  /** Of a new category. */
  const recordOf = (_: unknown, index: number) => {
    const item = { ...storedCategory({ id: index + 1, name: 'Cats' }), writeCount: 1 };
    const { pk, sk } = item as unknown as { pk: string; sk: string };
    const images = { Keys: marshall({ pk, sk }), NewImage: marshall(item) };
    return {
      eventName: 'INSERT',
      eventSourceARN,
      dynamodb: { ...images, SequenceNumber: `${index + 1}` },
    };
  };
  const retryFrom = (record: number) => ({ batchItemFailures: [{ itemIdentifier: `${record}` }] });

  // The third value is the time left in milliseconds; one second is reserved for the response.
  it.each([
    ['retries all records when the bus does not respond', 12, 2_500, 0, retryFrom(1), [10]],
    [
      'retries from the first record that the bus has not accepted',
      25,
      2_500,
      1,
      retryFrom(11),
      [10, 10],
    ],
    ['sends nothing when no time is left', 3, 1_000, 9, retryFrom(1), []],
    [
      'reports no failure when all records are published',
      25,
      30_000,
      9,
      { batchItemFailures: [] },
      [10, 10, 5],
    ],
  ])(
    '%s, and sends nothing after it is thawed',
    async (_, count, timeLeft, accepted, expected, sizes) => {
      calls.length = 0;
      accepts = accepted;
      const names = {
        EVENT_SOURCE: '/petstore/test',
        EVENTS_GENERATION: '1',
        TABLE_NAME: 'petstore',
        EVENT_BUS: 'bus',
      };
      const environment = {
        ...names,
        EVENTS_ENDPOINT: bus.url,
        DEAD_LETTER_QUEUE_URL: `${bus.url}/queue`,
      };
      const event = { Records: Array.from({ length: count }, recordOf) };
      const frozen = invokeBundle('publishEvents', { environment, event, timeLeft });
      expect(await frozen.result).toEqual(expected);
      await frozen.end();
      expect(calls).toEqual(sizes);
    },
  );
});

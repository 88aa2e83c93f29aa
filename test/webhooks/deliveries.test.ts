import { appendFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sendToDeadLetterQueue } from '../../cdk/local/events/dead-letter-queue.ts';
import type { BusEvent } from '../../cdk/local/events/event-bus.ts';
import {
  createEventDelivery,
  exhaustedCondition,
  retryDelay,
  type UndeliveredEvent,
} from '../../cdk/local/events/event-delivery.ts';
import { readPattern } from '../../cdk/local/events/event-pattern.ts';
import { createPendingDeliveries } from '../../cdk/local/events/pending-deliveries.ts';
import type { Rule } from '../../cdk/local/events/rules.ts';
import { createQueue } from '../../cdk/local/events/sqs-queue.ts';
import { newFolder } from '../support/processes.ts';
import { type Receiver, useReceivers } from './receiver.ts';

const receive = useReceivers();
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const ruleTo = (url: string, changes: Partial<Rule> = {}): Rule => ({
  id: 'Rule',
  pattern: {},
  matches: () => true,
  destination: { url, method: 'POST', headers: {}, rate: 300 },
  retryPolicy: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 },
  deadLetterQueue: 'DeadLetterQueue',
  ...changes,
});

const eventOf = (id: string): BusEvent => ({
  ...{ id, source: 'petstore', 'detail-type': 'petstore.pet.created', time: '2027-03-01T12:30:45Z', detail: { id } },
});

interface DeliveryOptions {
  readonly folder?: string;
  /** Whether to use the delays of production. */
  readonly hasRealDelays?: boolean;
}

/** The event delivery of a server with one rule and short retry delays. */
const startDelivery = (rule: Rule, { folder, hasRealDelays }: DeliveryOptions = {}) => {
  const deadLetters: UndeliveredEvent[] = [];
  const logs: string[] = [];
  const errors: unknown[] = [];
  const pending = createPendingDeliveries(folder);
  const delivery = createEventDelivery({
    rules: [rule],
    pending,
    sendToDeadLetterQueue: undelivered => void deadLetters.push(undelivered),
    log: (_, level, message) => void logs.push(`${level} ${message}`),
    report: error => void errors.push(error),
    ...(!hasRealDelays && { firstDelay: 20 }),
  });
  stops.push(delivery.stop);
  return { ...delivery, deadLetters, pending, errors, logs };
};

/** Waits without a timer, because timers may be fake. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(setImmediate);
};

const idsOf = ({ events }: Receiver) => events.map(({ id }) => id);

describe('an event on the bus', () => {
  it('is delivered by the next server when one stops before the delivery', async () => {
    const folder = await newFolder();
    const receiver = await receive(() => 500);
    const first = startDelivery(ruleTo(receiver.url), { folder });
    first.deliverEvent(eventOf('early'));
    first.deliverEvent(eventOf('late'));
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(2);
    first.stop();
    // A second receiver: the first one may still be reading a request of the first server.
    const next = await receive();
    const second = startDelivery(ruleTo(next.url), { folder });
    await expect.poll(() => idsOf(next).sort()).toEqual(['early', 'late']);
    await expect.poll(() => second.pending.all()).toEqual([]);
    expect(createPendingDeliveries(folder).all()).toEqual([]);
  });

  it('survives a process that is killed while it writes a line', async () => {
    const folder = await newFolder();
    const pending = createPendingDeliveries(folder);
    pending.add({ id: 'a', rule: 'Rule', event: eventOf('a'), receivedAt: 1 });
    pending.add({ id: 'b', rule: 'Rule', event: eventOf('b'), receivedAt: 2 });
    pending.remove('a');
    await appendFile(`${folder}/deliveries.ndjson`, '{"id":"c","ru');
    expect(
      createPendingDeliveries(folder)
        .all()
        .map(({ id }) => id),
    ).toEqual(['b']);
  });

  it('is dropped when its rule is no longer in the template', async () => {
    const folder = await newFolder();
    createPendingDeliveries(folder).add({ id: 'a', rule: 'Gone', event: eventOf('a'), receivedAt: 1 });
    expect(startDelivery(ruleTo('http://127.0.0.1:9/'), { folder }).pending.all()).toEqual([]);
  });

  it('is dead-lettered after the maximum number of retries, with the error', async () => {
    const receiver = await receive(() => 500);
    const retryPolicy = { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 86_400 };
    const { deliverEvent, deadLetters, pending } = startDelivery(ruleTo(receiver.url, { retryPolicy }));
    deliverEvent(eventOf('hopeless'));
    await expect.poll(() => deadLetters.length).toBe(1);
    expect(deadLetters[0]).toMatchObject({
      ...{ condition: 'MaximumRetryAttempts', retries: 2, event: { id: 'hopeless' } },
      error: { code: 'ERROR_FROM_TARGET', message: 'The receiver responded with 500.' },
    });
    expect([receiver.requests.length, pending.all()]).toEqual([3, []]);
  });

  it.each([
    ['500', 500],
    ['429', 429],
    ['401, as during the rotation of a secret', 401],
  ])('is delivered after responses with %s', async (_, status) => {
    const receiver = await receive(() => status);
    const { deliverEvent, pending, logs } = startDelivery(ruleTo(receiver.url));
    deliverEvent(eventOf('a'));
    deliverEvent(eventOf('b'));
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(4);
    expect([idsOf(receiver), pending.all().length]).toEqual([[], 2]);
    receiver.answer = () => 204;
    await expect.poll(() => idsOf(receiver).sort()).toEqual(['a', 'b']);
    await expect.poll(() => pending.all()).toEqual([]);
    expect(logs).toEqual([
      `WARN Deliveries to ${receiver.url} fail. The receiver responded with ${status}.`,
      `INFO Deliveries to ${receiver.url} succeed again.`,
    ]);
  });

  it('is dead-lettered at its maximum age when every attempt times out after five seconds', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    // The longest delays, and timeouts by the fake clock.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(milliseconds => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), milliseconds);
      return controller.signal;
    });
    const receiver = await receive(() => 'never');
    const retryPolicy = { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 60 };
    const { deliverEvent, deadLetters, pending } = startDelivery(ruleTo(receiver.url, { retryPolicy }), {
      hasRealDelays: true,
    });
    deliverEvent(eventOf('unanswered'));
    const attemptedAt: number[] = [];
    while (deadLetters.length === 0) {
      await until(() => receiver.requests.length > attemptedAt.length);
      attemptedAt.push(Date.now());
      vi.advanceTimersToNextTimer();
      await until(() => vi.getTimerCount() + deadLetters.length > 0);
      vi.advanceTimersToNextTimer();
    }
    expect(attemptedAt).toEqual([0, 5_500, 11_500, 18_500, 27_500, 40_500]);
    expect(pending.all()).toEqual([]);
    const queue = createQueue(undefined, 'dead-letter-queue');
    sendToDeadLetterQueue(queue, 'Bus', deadLetters[0]!);
    expect(queue.receiveMessage({})).toMatchObject({
      Messages: [
        {
          MessageAttributes: {
            ERROR_CODE: { StringValue: 'TIMEOUT' },
            ERROR_MESSAGE: { StringValue: 'The receiver did not respond within 5 seconds.' },
            EXHAUSTED_RETRY_CONDITION: { StringValue: 'MaximumEventAgeInSeconds' },
            RETRY_ATTEMPTS: { StringValue: '5' },
          },
        },
      ],
    });
  });

  it('is retried when the connection is refused', async () => {
    const gone = await receive();
    gone.stop();
    const retryPolicy = { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 86_400 };
    const { deliverEvent, deadLetters } = startDelivery(ruleTo(gone.url, { retryPolicy }));
    deliverEvent(eventOf('lost'));
    await expect.poll(() => deadLetters.length).toBe(1);
    expect(deadLetters[0]).toMatchObject({ retries: 1, error: { code: 'CONNECTION_FAILURE' } });
  });

  it.each<[string, Receiver['answer'], boolean]>([
    ['301', () => 301, true],
    ['404', () => 404, true],
    ['409', () => 409, false],
    ['407', () => 407, false],
    ['503 with a negative Retry-After', () => ({ status: 503, retryAfter: '-1' }), true],
    ['502', () => 502, false],
  ])('is retried after %s only if EventBridge does so', async (_, answer, isFinal) => {
    const receiver = await receive(answer);
    const { deliverEvent, deadLetters } = startDelivery(ruleTo(receiver.url));
    deliverEvent(eventOf('a'));
    if (isFinal) await expect.poll(() => deadLetters.length).toBe(1);
    else await expect.poll(() => receiver.requests.length).toBeGreaterThan(1);
    expect([receiver.requests.length > 1, deadLetters[0]?.condition]).toEqual([!isFinal, undefined]);
  });
});

describe('the rate limit of a rule', () => {
  it('delays deliveries, which are pending meanwhile', async () => {
    const receiver = await receive();
    const slow = ruleTo(receiver.url);
    const { deliverEvent, pending } = startDelivery({ ...slow, destination: { ...slow.destination, rate: 10 } });
    deliverEvent(eventOf('a'));
    deliverEvent(eventOf('b'));
    expect(pending.all().length).toBe(2);
    await expect.poll(() => idsOf(receiver)).toEqual(['a', 'b']);
    await expect.poll(() => pending.all()).toEqual([]);
  });
});

describe('a retry', () => {
  it('has an exponential backoff with jitter, from half a second up to a minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 185 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
        const delay = retryDelay(attempts, random);
        expect(delay).toBeGreaterThanOrEqual(Math.min(250 * 2 ** (attempts - 1), 30_000));
        expect(delay).toBeLessThanOrEqual(Math.min(500 * 2 ** (attempts - 1), 60_000));
      }),
    );
  });

  it('is not made beyond the maximum number of retries or the maximum age', () => {
    const policy = { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 60 };
    expect(exhaustedCondition(185, 60_000, policy)).toBeUndefined();
    expect(exhaustedCondition(186, 60_000, policy)).toBe('MaximumRetryAttempts');
    expect(exhaustedCondition(185, 60_001, policy)).toBe('MaximumEventAgeInSeconds');
  });
});

describe('an event pattern', () => {
  it('matches strings and prefixes, in each of its fields', () => {
    const matches = readPattern({
      'detail-type': [{ prefix: 'petstore.order.' }, 'petstore.pet.created'],
      detail: { clientid: ['shop'] },
    });
    const event = (type: string, clientid?: string) => ({ 'detail-type': type, detail: { clientid } });
    expect(matches(event('petstore.order.placed', 'shop'))).toBe(true);
    expect(matches(event('petstore.pet.created', 'shop'))).toBe(true);
    expect(matches(event('petstore.order.placed', 'rival'))).toBe(false);
    expect(matches(event('petstore.order.placed'))).toBe(false);
    expect(matches(event('petstore.pet.updated', 'shop'))).toBe(false);
  });

  it.each([[{ suffix: 'd' }], [{ prefix: { 'equals-ignore-case': 'p' } }], [{ exists: true }], [7], [{}]])(
    'with an unsupported comparison is rejected: %j',
    alternative => {
      expect(() => readPattern({ 'detail-type': [alternative] })).toThrow('does not support this filter');
    },
  );
});

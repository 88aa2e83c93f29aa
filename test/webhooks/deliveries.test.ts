import { appendFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepDeadLetter } from '../../cdk/local/events/dead-letter-queue.ts';
import type { BusEvent } from '../../cdk/local/events/event-bus.ts';
import { createDeliveries, type DeadLetter } from '../../cdk/local/events/event-delivery.ts';
import { readPattern } from '../../cdk/local/events/event-pattern.ts';
import { createPending } from '../../cdk/local/events/pending-deliveries.ts';
import { exhausted, waitAfter } from '../../cdk/local/events/retries.ts';
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
  retry: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 },
  deadLetters: 'DeadLetters',
  ...changes,
});

const eventOf = (id: string): BusEvent => ({
  ...{ id, source: 'petstore', 'detail-type': 'petstore.pet.created', time: '2027-03-01T12:30:45Z', detail: { id } },
});

interface Serving {
  readonly folder?: string;
  /** Whether retries wait as long as always. */
  readonly isUnhurried?: boolean;
}

/** Deliveries of a rule, as a server has them that keeps its data in a folder, but with short waits between retries. */
const serve = (rule: Rule, { folder, isUnhurried }: Serving = {}) => {
  const buried: DeadLetter[] = [];
  const said: string[] = [];
  const failures: unknown[] = [];
  const pending = createPending(folder);
  const bury = (letter: DeadLetter) => void buried.push(letter);
  const say = (_: Rule, level: string, words: string) => void said.push(`${level} ${words}`);
  const report = (error: unknown) => void failures.push(error);
  const deliveries = createDeliveries({
    rules: [rule],
    pending,
    bury,
    say,
    report,
    ...(!isUnhurried && { firstWait: 20 }),
  });
  stops.push(deliveries.stop);
  return { ...deliveries, buried, pending, failures, said };
};

/** Waits without a timer, which may be virtual. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(setImmediate);
};

const idsOf = ({ events }: Receiver) => events.map(({ id }) => id);

describe('an event that the bus has taken', () => {
  it('is delivered by the next server, where one stops before the receiver takes it', async () => {
    const folder = await newFolder();
    const receiver = await receive(() => 500);
    const first = serve(ruleTo(receiver.url), { folder });
    first.take(eventOf('early'));
    first.take(eventOf('late'));
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(2);
    first.stop();
    // A receiver of its own: the first one may still be reading what the first server sent while it stopped.
    const next = await receive();
    const second = serve(ruleTo(next.url), { folder });
    await expect.poll(() => idsOf(next).sort()).toEqual(['early', 'late']);
    await expect.poll(() => second.pending.all()).toEqual([]);
    expect(createPending(folder).all()).toEqual([]);
  });

  it('survives a process that is killed while it writes: half a line is none', async () => {
    const folder = await newFolder();
    const pending = createPending(folder);
    pending.add({ id: 'a', rule: 'Rule', event: eventOf('a'), taken: 1 });
    pending.add({ id: 'b', rule: 'Rule', event: eventOf('b'), taken: 2 });
    pending.remove('a');
    await appendFile(`${folder}/deliveries.ndjson`, '{"id":"c","ru');
    expect(
      createPending(folder)
        .all()
        .map(({ id }) => id),
    ).toEqual(['b']);
  });

  it('is forgotten where its rule has left the template', async () => {
    const folder = await newFolder();
    createPending(folder).add({ id: 'a', rule: 'Gone', event: eventOf('a'), taken: 1 });
    expect(serve(ruleTo('http://127.0.0.1:9/'), { folder }).pending.all()).toEqual([]);
  });

  it('is given up after as many repetitions as the template says, and says why', async () => {
    const receiver = await receive(() => 500);
    const retry = { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 86_400 };
    const { take, buried, pending } = serve(ruleTo(receiver.url, { retry }));
    take(eventOf('hopeless'));
    await expect.poll(() => buried.length).toBe(1);
    expect(buried[0]).toMatchObject({
      ...{ condition: 'MaximumRetryAttempts', retries: 2, event: { id: 'hopeless' } },
      failure: { code: 'ERROR_FROM_TARGET', message: 'The receiver answered 500.' },
    });
    expect([receiver.requests.length, pending.all()]).toEqual([3, []]);
  });

  it.each([
    ['500', 500],
    ['429', 429],
    ['401, as where a secret is being changed', 401],
  ])('is delivered after a receiver that answered %s for a while', async (_, status) => {
    const receiver = await receive(() => status);
    const { take, pending, said } = serve(ruleTo(receiver.url));
    take(eventOf('a'));
    take(eventOf('b'));
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(4);
    expect([idsOf(receiver), pending.all().length]).toEqual([[], 2]);
    receiver.answer = () => 204;
    await expect.poll(() => idsOf(receiver).sort()).toEqual(['a', 'b']);
    await expect.poll(() => pending.all()).toEqual([]);
    expect(said).toEqual([
      `WARN ${receiver.url} does not take events. The receiver answered ${status}.`,
      `INFO ${receiver.url} takes events again.`,
    ]);
  });

  it('is given up once it is as old as the template says, where nobody answers for five seconds', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    // The longest waits, and time-outs by the virtual clock.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(milliseconds => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), milliseconds);
      return controller.signal;
    });
    const receiver = await receive(() => 'never');
    const retry = { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 60 };
    const { take, buried, pending } = serve(ruleTo(receiver.url, { retry }), { isUnhurried: true });
    take(eventOf('unanswered'));
    const triedAt: number[] = [];
    while (buried.length === 0) {
      await until(() => receiver.requests.length > triedAt.length);
      triedAt.push(Date.now());
      vi.advanceTimersToNextTimer();
      await until(() => vi.getTimerCount() + buried.length > 0);
      vi.advanceTimersToNextTimer();
    }
    expect(triedAt).toEqual([0, 5_500, 11_500, 18_500, 27_500, 40_500]);
    expect(pending.all()).toEqual([]);
    const queue = createQueue(undefined, 'dead-letters');
    keepDeadLetter(queue, 'Bus', buried[0]!);
    expect(queue.receiveMessage({})).toMatchObject({
      Messages: [
        {
          MessageAttributes: {
            ERROR_CODE: { StringValue: 'TIMEOUT' },
            ERROR_MESSAGE: { StringValue: 'The receiver did not answer within 5 seconds.' },
            EXHAUSTED_RETRY_CONDITION: { StringValue: 'MaximumEventAgeInSeconds' },
            RETRY_ATTEMPTS: { StringValue: '5' },
          },
        },
      ],
    });
  });

  it('is tried again where nobody listens', async () => {
    const gone = await receive();
    gone.stop();
    const retry = { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 86_400 };
    const { take, buried } = serve(ruleTo(gone.url, { retry }));
    take(eventOf('lost'));
    await expect.poll(() => buried.length).toBe(1);
    expect(buried[0]).toMatchObject({ retries: 1, failure: { code: 'CONNECTION_FAILURE' } });
  });

  it.each<[string, Receiver['answer'], boolean]>([
    ['301', () => 301, true],
    ['404', () => 404, true],
    ['409', () => 409, false],
    ['407', () => 407, false],
    ['503, with a time below zero to wait', () => ({ status: 503, retryAfter: '-1' }), true],
    ['502', () => 502, false],
  ])('is, after %s, final or not as EventBridge has it', async (_, answer, isFinal) => {
    const receiver = await receive(answer);
    const { take, buried } = serve(ruleTo(receiver.url));
    take(eventOf('a'));
    if (isFinal) await expect.poll(() => buried.length).toBe(1);
    else await expect.poll(() => receiver.requests.length).toBeGreaterThan(1);
    expect([receiver.requests.length > 1, buried[0]?.condition]).toEqual([!isFinal, undefined]);
  });
});

describe('a rate', () => {
  it('is that of each rule: what waits is on its way', async () => {
    const receiver = await receive();
    const slow = ruleTo(receiver.url);
    const { take, pending } = serve({ ...slow, destination: { ...slow.destination, rate: 10 } });
    take(eventOf('a'));
    take(eventOf('b'));
    expect(pending.all().length).toBe(2);
    await expect.poll(() => idsOf(receiver)).toEqual(['a', 'b']);
    await expect.poll(() => pending.all()).toEqual([]);
  });
});

describe('a repetition', () => {
  it('comes within half a second at first, then less and less often, a minute apart at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 185 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, random) => {
        const wait = waitAfter(tries, random);
        expect(wait).toBeGreaterThanOrEqual(Math.min(250 * 2 ** (tries - 1), 30_000));
        expect(wait).toBeLessThanOrEqual(Math.min(500 * 2 ** (tries - 1), 60_000));
      }),
    );
  });

  it('ends with the number or the age that the template says, whichever comes first', () => {
    const policy = { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 60 };
    expect(exhausted(185, 60_000, policy)).toBeUndefined();
    expect(exhausted(186, 60_000, policy)).toBe('MaximumRetryAttempts');
    expect(exhausted(185, 60_001, policy)).toBe('MaximumEventAgeInSeconds');
  });
});

describe('a pattern', () => {
  it('matches exact texts and prefixes, in every field that it names', () => {
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
    'that says more than this server knows is refused: %j',
    alternative => {
      expect(() => readPattern({ 'detail-type': [alternative] })).toThrow('does not know this filter');
    },
  );
});

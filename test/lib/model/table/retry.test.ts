import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retry } from '../../../../lib/model/table/retry.ts';
import { withinRequest } from '../../../../lib/request-context.ts';

const send = vi.hoisted(() => vi.fn());
vi.mock('../../../../lib/model/table/client.ts', () => ({ client: { send } }));
vi.stubEnv('TABLE_NAME', 'pets');
const { writeOnce } = await import('../../../../lib/model/table/write-once.ts');

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  // The jitter is then the longest delay.
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const busy = () => Promise.reject({ name: 'ThrottlingException', $fault: 'client' });
const lost = () => Promise.reject({ name: 'TimeoutError', code: 'ECONNRESET' });
const unconnected = () => Promise.reject({ code: 'ENOTFOUND', neverConnected: true });
const inProgress = () =>
  Promise.reject({ name: 'TransactionInProgressException', $fault: 'client' });
/** Never returns, and fails when it is aborted. */
const silent = ({ abortSignal }: { abortSignal: AbortSignal }) =>
  new Promise((_, reject) =>
    abortSignal.addEventListener('abort', () => reject({ name: 'AbortError' })),
  );

type Attempt = (options: { abortSignal: AbortSignal }, attempts: number) => unknown;

/** The start of each attempt, in milliseconds since that of the request, and the result. */
const callsOf = async (attempt: Attempt, timeLeft = 60_000) => {
  const at: number[] = [];
  const counted = async (options: Parameters<Attempt>[0]) => {
    at.push(Date.now());
    return attempt(options, at.length);
  };
  const ending = withinRequest(timeLeft, () => retry(counted, () => undefined)).catch(
    error => error.name ?? error,
  );
  await vi.runAllTimersAsync();
  return { at, ending: await ending };
};

describe('a call', () => {
  const minute = 60_000;
  const fatal = () => Promise.reject({ name: 'ValidationException', $fault: 'client' });
  const lostAtFirst: Attempt = (_, attempts) => (attempts === 1 ? lost() : busy());
  const lostOnce: Attempt = (_, attempts) => (attempts === 3 ? lost() : unconnected());

  const eightAttempts = [0, 50, 150, 350, 750, 1250, 1750, 2250];
  const doubled = [0, 500, 1500, 3500, 7500, 15_500];

  it.each<[string, Attempt, timeLeft: number, at: number[], ending: string]>([
    [
      'is retried with delays that double up to half a second',
      busy,
      minute,
      eightAttempts,
      'try_again',
    ],
    ['is not retried after the deadline', busy, 400, [0, 50, 150, 350], 'try_again'],
    ['is not sent when the deadline has passed', busy, 0, [], 'try_again'],
    [
      'times out after a second, and is retried within the budget',
      silent,
      minute,
      [0, 1050, 2150],
      'outcome_unknown',
    ],
    ['is aborted at the deadline', silent, 700, [0], 'outcome_unknown'],
    [
      'has an unknown outcome, whatever later attempts return',
      lostAtFirst,
      minute,
      eightAttempts,
      'outcome_unknown',
    ],
    [
      'that sent nothing in any attempt wrote nothing',
      unconnected,
      minute,
      eightAttempts,
      'try_again',
    ],
    [
      'that was lost in one attempt has an unknown outcome',
      lostOnce,
      minute,
      eightAttempts,
      'outcome_unknown',
    ],
    ['in progress is retried until the deadline', inProgress, 20_000, doubled, 'outcome_unknown'],
    ['with a fatal error is not retried', fatal, minute, [0], 'ValidationException'],
  ])('%s', async (_, attempt, timeLeft, at, ending) => {
    expect(await callsOf(attempt, timeLeft)).toEqual({ at, ending });
    expect(Date.now()).toBeLessThanOrEqual(timeLeft);
  });

  it('shares a retry budget of three seconds with the other calls of its request', async () => {
    const ending = withinRequest(minute, async () => {
      const later = async () => retry(busy).catch(error => error.name);
      const first = await later();
      return [first, Date.now(), await later(), Date.now()];
    });
    await vi.runAllTimersAsync();
    expect(await ending).toEqual(['try_again', 2250, 'try_again', 2600]);
  });

  it('has full jitter: the delay can be 0', async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    expect((await callsOf(busy)).at).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('without a response calls onAmbiguous, and one with a retryable error does not', async () => {
    const onAmbiguous = vi.fn();
    const responses = [busy, lost, busy, lost, async () => 'written'].values();
    const next = () => (responses.next().value as () => Promise<string>)();
    const ending = withinRequest(minute, () => retry(next, onAmbiguous));
    await vi.runAllTimersAsync();
    expect([await ending, onAmbiguous.mock.calls.length]).toEqual(['written', 2]);
  });
});

describe('a write with optimistic concurrency', () => {
  /** The starts of attempts that always conflict, and take `takes` milliseconds. */
  const attemptsOf = async (takes: number, timeLeft: number) => {
    vi.setSystemTime(0);
    const at: number[] = [];
    send.mockRejectedValue({ CancellationReasons: [{ Code: 'ConditionalCheckFailed' }] });
    const ending = withinRequest(timeLeft, () =>
      writeOnce(undefined, { version: 0 }, current => {
        expect(current.version, 'what the last one returned').toBe(at.length);
        at.push(Date.now());
        vi.setSystemTime(Date.now() + takes);
        return {
          result: {},
          writes: { pet: {} },
          onRejected: async () => ({ version: current.version + 1 }),
        };
      }),
    ).catch(error => error.name ?? error);
    return { at, ending: await ending };
  };

  it('has eight attempts at most, each with the current item of the last rejection', async () => {
    expect(await attemptsOf(10, 60_000)).toEqual({
      at: [0, 10, 20, 30, 40, 50, 60, 70],
      ending: 'try_again',
    });
  });

  it('is not retried after three seconds or after the deadline', async () => {
    expect((await attemptsOf(1_000, 60_000)).at).toEqual([0, 1000, 2000]);
    expect((await attemptsOf(1_000, 1_500)).at).toEqual([0, 1000]);
    expect((await attemptsOf(1_000, 0)).at).toEqual([]);
  });
});

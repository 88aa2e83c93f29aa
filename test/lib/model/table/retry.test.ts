import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retry } from '../../../../lib/model/table/retry.ts';
import { retryOnConflict } from '../../../../lib/model/table/retry-on-conflict.ts';
import { withinRequest } from '../../../../lib/request-context.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  // The longest delay with jitter.
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const busy = () => Promise.reject({ name: 'ThrottlingException', $fault: 'client' });
const lost = () => Promise.reject({ name: 'TimeoutError', code: 'ECONNRESET' });
const inProgress = () => Promise.reject({ name: 'TransactionInProgressException', $fault: 'client' });
/** Never returns; ends when it is aborted. */
const silent = ({ abortSignal }: { abortSignal: AbortSignal }) =>
  new Promise((_, reject) => abortSignal.addEventListener('abort', () => reject({ name: 'AbortError' })));

/** The times of the attempts in milliseconds since the start of the request, and the result. */
const callsOf = async (
  attempt: (options: { abortSignal: AbortSignal }, attempts: number) => unknown,
  timeLeft = 60_000,
) => {
  const at: number[] = [];
  const ending = withinRequest(timeLeft, () =>
    retry(
      async options => {
        at.push(Date.now());
        return attempt(options, at.length);
      },
      () => undefined,
    ),
  ).then(
    value => value,
    error => error.name ?? error,
  );
  await vi.runAllTimersAsync();
  return { at, ending: await ending, over: Date.now() };
};

describe('a call with a retryable error', () => {
  it('is retried after delays that double up to half a second, with eight attempts in all', async () => {
    const { at, ending } = await callsOf(busy);
    expect(at).toEqual([0, 50, 150, 350, 750, 1250, 1750, 2250]);
    expect(ending).toBe('try_again');
  });

  it('shares a retry budget of three seconds with the other calls of its request', async () => {
    const ending = withinRequest(60_000, async () => {
      const later = async () => retry(busy).catch(error => error.name);
      const first = await later();
      return [first, Date.now(), await later(), Date.now()];
    });
    await vi.runAllTimersAsync();
    expect(await ending).toEqual(['try_again', 2250, 'try_again', 2600]);
  });

  it('is not retried after the deadline, and is not sent when the deadline has passed', async () => {
    expect((await callsOf(busy, 400)).at).toEqual([0, 50, 150, 350]);
    expect(await callsOf(busy, 0)).toMatchObject({ at: [], ending: 'try_again' });
  });

  it('has full jitter: the delay can be 0', async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    expect((await callsOf(busy)).at).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});

describe('a call without a response', () => {
  it('times out after a second, and is retried within the retry budget', async () => {
    const { at, ending } = await callsOf(silent);
    expect(at).toEqual([0, 1050, 2150]);
    expect(ending).toBe('outcome_unknown');
  });

  it('is aborted at the deadline', async () => {
    expect(await callsOf(silent, 700)).toMatchObject({ at: [0], ending: 'outcome_unknown', over: 700 });
  });

  it('calls onAmbiguous, and a retryable error does not', async () => {
    const onAmbiguous = vi.fn();
    const responses = [busy, lost, busy, lost, async () => 'written'].values();
    const ending = withinRequest(60_000, () =>
      retry(() => (responses.next().value as () => Promise<string>)(), onAmbiguous),
    );
    await vi.runAllTimersAsync();
    expect([await ending, onAmbiguous.mock.calls.length]).toEqual(['written', 2]);
  });

  it('has an unknown outcome, whatever error later attempts return', async () => {
    const { ending } = await callsOf((_, attempts) => (attempts === 1 ? lost() : busy()));
    expect(ending).toBe('outcome_unknown');
  });
});

describe('a transaction in progress', () => {
  it('is retried after half a second and then doubled delays, beyond the retry budget, until the deadline', async () => {
    const { at, ending } = await callsOf(inProgress, 20_000);
    expect(at).toEqual([0, 500, 1500, 3500, 7500, 15_500]);
    expect(ending).toBe('outcome_unknown');
  });
});

describe('a fatal error', () => {
  it('is thrown unchanged, without a retry', async () => {
    expect(await callsOf(() => Promise.reject({ name: 'ValidationException', $fault: 'client' }))).toMatchObject({
      at: [0],
      ending: 'ValidationException',
    });
  });
});

describe('a write with optimistic concurrency', () => {
  /** The start times of attempts that always conflict; each takes `takes` milliseconds. */
  const attemptsOf = async (takes: number, timeLeft: number) => {
    vi.setSystemTime(0);
    const at: number[] = [];
    const ending = withinRequest(timeLeft, () =>
      retryOnConflict({ version: 0 }, async current => {
        expect(current.version, 'what the last one returned').toBe(at.length);
        at.push(Date.now());
        vi.setSystemTime(Date.now() + takes);
        return { current: { version: current.version + 1 } };
      }),
    ).catch(error => error.name ?? error);
    return { at, ending: await ending };
  };

  it('has eight attempts at most, each with the current item of the last rejection', async () => {
    expect(await attemptsOf(10, 60_000)).toEqual({ at: [0, 10, 20, 30, 40, 50, 60, 70], ending: 'try_again' });
  });

  it('is not retried after three seconds or after the deadline', async () => {
    expect((await attemptsOf(1_000, 60_000)).at).toEqual([0, 1000, 2000]);
    expect((await attemptsOf(1_000, 1_500)).at).toEqual([0, 1000]);
    expect((await attemptsOf(1_000, 0)).at).toEqual([]);
  });
});

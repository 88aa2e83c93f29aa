import { backoff, maxAttempts, retryBudget } from '../../lib/model/table/retry.ts';
import { markdownTable } from '../support/markdown-table.ts';

/** The results of concurrent transactions on one item. */
export interface Outcome {
  /** The share of requests that return 503, 0 … 1. */
  readonly rejected: number;
  /** Attempts per request, on average; each is charged. */
  readonly attempts: number;
  /** Milliseconds from the first attempt to success. */
  readonly p50: number;
  readonly p99: number;
}

interface Attempt {
  readonly at: number;
  readonly since: number;
  readonly number: number;
}

/** Deterministic random numbers from 0 to 1 (mulberry32). */
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

/** A priority queue: the earliest attempt first. */
const createQueue = () => {
  const heap: Attempt[] = [];
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  const isLess = (a: number, b: number) => b < heap.length && heap[b]!.at < heap[a]!.at;
  return {
    add: (item: Attempt) => {
      let place = heap.push(item) - 1;
      for (let parent = (place - 1) >> 1; place > 0 && isLess(parent, place); parent = (place - 1) >> 1) {
        swap(place, parent);
        place = parent;
      }
    },
    take: (): Attempt | undefined => {
      swap(0, heap.length - 1);
      const first = heap.pop();
      for (let place = 0; ; ) {
        const child = isLess(2 * place + 1, 2 * place + 2) ? 2 * place + 2 : 2 * place + 1;
        if (!isLess(place, child)) return first;
        swap(place, child);
        place = child;
      }
    },
    get isEmpty() {
      return heap.length === 0;
    },
  };
};

const requests = 20_000;
/** The latency of a TransactionConflict, in milliseconds. */
const rejectionLatency = 4;

/**
 * Simulates requests that each change one item in a transaction, with the model's own backoff (a discrete-event simulation).
 * Arrivals are a Poisson process. A request that meets another transaction gets TransactionConflict and retries.
 * @param perSecond requests
 * @param lockTime how long a transaction locks the item, in milliseconds. AWS documents no figure; single-digit latencies
 * suggest 4 to 16
 * @param attempts per request, at most
 */
export const simulate = (perSecond: number, lockTime: number, attempts = maxAttempts): Outcome => {
  const random = seeded(perSecond * 1_000 + lockTime);
  const queue = createQueue();
  const latencies: number[] = [];
  let [unlockedAt, attempted, rejected, now] = [0, 0, 0, 0];
  for (let request = 0; request < requests; request++) {
    now -= (Math.log(1 - random()) * 1_000) / perSecond;
    queue.add({ at: now, since: now, number: 1 });
  }
  while (!queue.isEmpty) {
    const { at, since, number } = queue.take()!;
    attempted++;
    if (at >= unlockedAt) {
      unlockedAt = at + lockTime;
      latencies.push(unlockedAt - since);
      continue;
    }
    const retryAt = at + rejectionLatency + backoff(number, random());
    if (number === attempts || retryAt - since >= retryBudget) rejected++;
    else queue.add({ at: retryAt, since, number: number + 1 });
  }
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)]!;
  return {
    rejected: rejected / requests,
    attempts: attempted / requests,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
};

const percent = (share: number) => (share === 0 ? '0' : `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`);

/** The cost of a popular item, as a table: request rates by the time that a transaction locks the item. */
export const hotItemTable = (): string => {
  const lockTimes = [4, 8, 16];
  const rows = [2, 10, 20, 50, 100, 150, 200].map(perSecond => [
    String(perSecond),
    ...lockTimes.flatMap(lockTime => {
      const { rejected, attempts, p99 } = simulate(perSecond, lockTime);
      return [percent(rejected), `${Math.round(p99)} ms`, attempts.toFixed(1)];
    }),
  ]);
  const head = ['Per second', ...lockTimes.flatMap(lockTime => [`503, locked ${lockTime} ms`, 'p99', 'attempts'])];
  return markdownTable(head, ['---:', ...lockTimes.flatMap(() => ['---:', '---:', '---:'])], rows);
};

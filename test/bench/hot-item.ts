import { markdownTable } from '../../cdk/commands/docs/marked.ts';
import { backoff, maxAttempts, retryBudget } from '../../lib/model/table/retry.ts';

/** What comes of transactions on one item. */
export interface Outcome {
  /** 0 … 1, of those that gave up: 503. */
  readonly refused: number;
  /** Tries of one request, on average; each is charged. */
  readonly tries: number;
  /** Milliseconds in DynamoDB of those that were carried out. */
  readonly p50: number;
  readonly p99: number;
}

interface Try {
  readonly at: number;
  readonly since: number;
  readonly tries: number;
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

/** The earliest first. */
const createQueue = () => {
  const heap: Try[] = [];
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  const isLess = (a: number, b: number) => b < heap.length && heap[b]!.at < heap[a]!.at;
  return {
    add: (item: Try) => {
      let place = heap.push(item) - 1;
      for (let parent = (place - 1) >> 1; place > 0 && isLess(parent, place); parent = (place - 1) >> 1) {
        swap(place, parent);
        place = parent;
      }
    },
    take: (): Try | undefined => {
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
/** How long a refusal takes to come back, in milliseconds. */
const answer = 4;

/**
 * Simulates requests that each change one item in a transaction, event by event, with the model's own back-off. They come
 * independently of each other (Poisson); one that meets another's transaction is refused (TransactionConflict) and tries again.
 * @param perSecond requests
 * @param hold for how long a transaction has the item, in milliseconds. AWS gives no figure; single-digit latencies suggest
 * 4 to 16
 * @param attempts of one request
 */
export const simulate = (perSecond: number, hold: number, attempts = maxAttempts): Outcome => {
  const random = seeded(perSecond * 1_000 + hold);
  const queue = createQueue();
  const latencies: number[] = [];
  let [free, tried, refused, now] = [0, 0, 0, 0];
  for (let request = 0; request < requests; request++) {
    now -= (Math.log(1 - random()) * 1_000) / perSecond;
    queue.add({ at: now, since: now, tries: 1 });
  }
  while (!queue.isEmpty) {
    const { at, since, tries } = queue.take()!;
    tried++;
    if (at >= free) {
      free = at + hold;
      latencies.push(free - since);
      continue;
    }
    const again = at + answer + backoff(tries, random());
    if (tries === attempts || again - since >= retryBudget) refused++;
    else queue.add({ at: again, since, tries: tries + 1 });
  }
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)]!;
  return { refused: refused / requests, tries: tried / requests, p50: percentile(0.5), p99: percentile(0.99) };
};

const percent = (share: number) => (share === 0 ? '0' : `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`);

/** What popularity costs, as a table: rates of one item by the time that a transaction has it. */
export const hotItemTable = (): string => {
  const holds = [4, 8, 16];
  const rows = [2, 10, 20, 50, 100, 150, 200].map(perSecond => [
    String(perSecond),
    ...holds.flatMap(hold => {
      const { refused, tries, p99 } = simulate(perSecond, hold);
      return [percent(refused), `${Math.round(p99)} ms`, tries.toFixed(1)];
    }),
  ]);
  const head = ['A second', ...holds.flatMap(hold => [`503, held ${hold} ms`, 'p99', 'tries'])];
  return markdownTable(head, ['---:', ...holds.flatMap(() => ['---:', '---:', '---:'])], rows);
};

import { getHeapStatistics } from 'node:v8';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectHarmless, hostileRequest, sendRaw } from '../support/hostile.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const runs = Number(process.env.FUZZ_RUNS ?? 40_000);
const megabytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);

it('answers any input without a 5xx, a hang, a leak or growth', async () => {
  const token = await petstore.token('staff');
  const statuses = new Map<number, number>();
  const memory = [megabytes()];
  for (let batch = 0; batch < 10; batch++) {
    await fc.assert(
      fc.asyncProperty(hostileRequest, async request => {
        const answer = await sendRaw(petstore.url, token, request);
        expectHarmless(answer, petstore);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }),
      { numRuns: runs / 10 },
    );
    expect(petstore.logs.join('')).not.toContain('"level":"ERROR"');
    petstore.logs.length = 0;
    petstore.proxy.answers.length = 0;
    memory.push(megabytes());
    console.log(`${(batch + 1) * (runs / 10)} requests, ${memory.at(-1)} MB`);
  }
  console.log('Answers by status:', Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
  // After the first batches have warmed everything up, memory must not grow with the number of requests.
  expect(
    memory.at(-1)! - memory[4]!,
    `MB by batch: ${memory}; heap limit ${getHeapStatistics().heap_size_limit}`,
  ).toBeLessThan(150);
});

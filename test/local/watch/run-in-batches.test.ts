import { expect, it } from 'vitest';
import { runInBatches } from '../../../cdk/local/watch/run-in-batches.ts';

it('files that change during a build are one batch, and those of a failed build are a part of the next one', async () => {
  const batches: string[] = [];
  const errors: string[] = [];
  let build = Promise.withResolvers<void>();
  const work = (files: ReadonlySet<string>) => {
    batches.push([...files].join(' '));
    build = Promise.withResolvers();
    return build.promise;
  };
  const run = runInBatches(work, async error => void errors.push((error as Error).message));
  const done = run(['a']);
  for (const file of ['b', 'c', 'b']) run([file]);
  expect(batches).toEqual(['a']);
  build.resolve();
  await expect.poll(() => batches).toEqual(['a', 'b c']);
  build.reject(new Error('syntax'));
  await done;
  for (const file of ['d', 'e']) {
    const next = run([file]);
    build.resolve();
    await next;
  }
  expect([batches, errors]).toEqual([['a', 'b c', 'b c d', 'e'], ['syntax']]);
});

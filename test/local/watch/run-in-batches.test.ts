import { expect, it } from 'vitest';
import { runInBatches } from '../../../cdk/local/watch/run-in-batches.ts';

/** Work that waits for its end, and records its batches and errors. */
const recordBatches = () => {
  const batches: string[] = [];
  const errors: string[] = [];
  let end: (error?: Error) => void = () => undefined;
  const work = (files: ReadonlySet<string>) => {
    batches.push([...files].join(' '));
    return new Promise<void>((resolve, reject) => {
      end = error => (error ? reject(error) : resolve());
    });
  };
  const run = runInBatches(work, async error => void errors.push((error as Error).message));
  return { batches, errors, run, end: (error?: Error) => end(error) };
};

it('files that change during a build are one batch', async () => {
  const { batches, run, end } = recordBatches();
  const done = run(['a']);
  for (const file of ['b', 'c', 'b']) run([file]);
  expect(batches).toEqual(['a']);
  end();
  await expect.poll(() => batches).toEqual(['a', 'b c']);
  end();
  await done;
  expect(batches.length).toBe(2);
});

it('the files of a failed batch are a part of the next one, and of no later one', async () => {
  const { batches, errors, run, end } = recordBatches();
  for (const [file, error] of [['a', new Error('syntax')], ['b'], ['c']] as const) {
    const done = run([file]);
    end(error);
    await done;
  }
  expect([batches, errors]).toEqual([['a', 'a b', 'c'], ['syntax']]);
});

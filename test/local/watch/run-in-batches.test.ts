import { describe, expect, it } from 'vitest';
import { runInBatches } from '../../../cdk/local/watch/run-in-batches.ts';

/** Work that waits for its end, and records its batches and errors. */
const recordBatches = () => {
  const batches: string[][] = [];
  const errors: string[] = [];
  let end: (error?: Error) => void = () => undefined;
  const run = runInBatches(
    files => {
      batches.push([...files]);
      return new Promise((resolve, reject) => {
        end = error => (error ? reject(error) : resolve());
      });
    },
    async error => void errors.push((error as Error).message),
  );
  return { batches, errors, run, end: (error?: Error) => end(error) };
};

describe('runInBatches', () => {
  it('makes one batch of the files that change during a build', async () => {
    const { batches, run, end } = recordBatches();
    const done = run(['a']);
    for (const file of ['b', 'c', 'b']) run([file]);
    expect(batches).toEqual([['a']]);
    end();
    await expect.poll(() => batches).toEqual([['a'], ['b', 'c']]);
    end();
    await done;
    expect(batches.length).toBe(2);
  });

  it('adds the files of a failed batch to the next one', async () => {
    const { batches, errors, run, end } = recordBatches();
    const failed = run(['a']);
    end(new Error('syntax'));
    await failed;
    expect(errors).toEqual(['syntax']);
    const fixed = run(['b']);
    expect(batches).toEqual([['a'], ['a', 'b']]);
    end();
    await fixed;
    const later = run(['c']);
    expect(batches.at(-1)).toEqual(['c']);
    end();
    await later;
  });
});

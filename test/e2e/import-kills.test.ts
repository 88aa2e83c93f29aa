import { copyFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkpointPathOf } from '../../cdk/commands/import/checkpoint.ts';
import { catalogOf, writeRows } from '../support/catalog.ts';
import { usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

const petstore = usePetstore();
const other = usePetstore();
const names = Array.from({ length: 400 }, (_, index) => `Pet ${index}`);

// The default target is a local server, here on another port than 3000.
it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
  'npm run import creates each pet of a file once, also when %s ends it and it runs again, in a store that has its data',
  async signal => {
    const category = `Ended by ${signal}`;
    const namesIn = (stage: typeof petstore) => catalogOf(stage).namesIn(category);
    const file = await writeRows(names.map((name, index) => ({ name, category, quantity: index % 50 ? '' : 7 })));
    const importAt = (rate: string, { url } = petstore) =>
      run('cdk/commands/import/index.ts', [file, '--local', url, '--rate', rate]);

    const ended = importAt('100');
    await expect.poll(async () => (await namesIn(petstore)).length).toBeGreaterThan(10);
    ended.child.kill(signal);
    await ended.exit;
    expect((await namesIn(petstore)).length).toBeLessThan(400);

    // Another store with the checkpoint of the first one is like a local server that lost its data.
    if (signal === 'SIGKILL') {
      copyFileSync(checkpointPathOf(file, petstore.url), checkpointPathOf(file, other.url));
      const elsewhere = importAt('500', other);
      const all = expect.stringContaining('400 rows: 400 created, 0 changed, 0 unchanged, 0 refused\n');
      expect([await elsewhere.exit, elsewhere.output()]).toEqual([0, all]);
      expect(await namesIn(other)).toEqual([...names].sort());
    }
    const resumed = importAt('500');
    const printed = expect.stringMatching(/; [1-9]\d* were imported before\n$/);
    expect([await resumed.exit, resumed.output()]).toEqual([0, printed]);
    expect(await namesIn(petstore)).toEqual([...names].sort());
    expect(await catalogOf(petstore).stockOf('Pet 100', category)).toEqual({ quantity: 7, status: 'available' });
  },
);

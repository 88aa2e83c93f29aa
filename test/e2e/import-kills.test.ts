import { copyFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkpointPathOf } from '../../cdk/commands/import/checkpoint.ts';
import { catalogOf, writeRows } from '../support/catalog.ts';
import { usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

const [petstore, other] = [usePetstore(), usePetstore()];
const names = Array.from({ length: 400 }, (_, index) => `Pet ${index}`);

// A local server is the default target, here on another port than 3000.
it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)('an import that %s ends continues in its store', async signal => {
  const namesIn = (stage: typeof petstore) => catalogOf(stage).namesIn(signal);
  const rows = names.map((name, index) => ({ name, category: signal, quantity: index % 50 ? '' : 7 }));
  const file = await writeRows(rows);
  const importAt = (rate: string, { url } = petstore) =>
    run('cdk/commands/import/index.ts', [file, '--local', url, '--rate', rate]);
  const ended = importAt('100');
  await expect.poll(async () => (await namesIn(petstore)).length).toBeGreaterThan(10);
  ended.child.kill(signal);
  await ended.exit;
  expect((await namesIn(petstore)).length).toBeLessThan(400);

  // Another store with this checkpoint is like a local server that lost its data.
  copyFileSync(checkpointPathOf(file, petstore.url), checkpointPathOf(file, other.url));
  const runs = [
    [other, expect.stringContaining('400 rows: 400 created, 0 changed, 0 unchanged, 0 refused\n')],
    [petstore, expect.stringMatching(/; [1-9]\d* were imported before\n$/)],
  ] as const;
  for (const [stage, printed] of signal === 'SIGKILL' ? runs : runs.slice(1)) {
    const started = importAt('500', stage);
    expect([await started.exit, started.output()]).toEqual([0, printed]);
    expect(await namesIn(stage)).toEqual([...names].sort());
    expect(await catalogOf(stage).stockOf('Pet 100', signal)).toEqual({ quantity: 7, status: 'available' });
  }
});

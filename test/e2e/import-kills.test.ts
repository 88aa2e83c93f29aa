import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointPathOf } from '../../cdk/commands/import/checkpoint.ts';
import { catalogOf, writeRows } from '../support/catalog.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder, run } from '../support/processes.ts';

const petstore = usePetstore();
const { petsOf, namesIn, startProxy, stockOf } = catalogOf(petstore);
/** As into a stage: with a checkpoint. */
const importing = (url: string, ...args: string[]) =>
  run('cdk/commands/import/index.ts', ['--url', url, '--client', 'staff', '--secret', 'local', ...args]);

describe('npm run import', () => {
  it('creates each pet of a file once, also when it is killed and run again', async () => {
    const { staff } = petstore;
    await staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    const count = 250;
    const lines = Array.from({ length: count }, (_, index) => ({
      name: `Pet ${index}`,
      category: index % 2 ? 'Cats' : 'Dogs',
      ...(index % 50 === 0 && { quantity: 7 }),
    }));
    const namesOf = (wanted: string) =>
      lines.flatMap(({ name, category }) => (category === wanted ? [name] : [])).sort();
    const file = await writeRows(lines);

    const killed = importing(petstore.url, file, '--rate', '100');
    await expect.poll(async () => (await petsOf('Cats')).length).toBeGreaterThan(10);
    killed.child.kill('SIGKILL');
    await killed.exit;
    expect((await petsOf('Dogs')).length).toBeLessThan(count / 2);

    const resumed = importing(petstore.url, file, '--rate', '500');
    expect(await resumed.exit, resumed.output()).toBe(0);
    expect(resumed.output()).toMatch(/^250 pets, [1-9]\d* created already/);
    for (const category of ['Cats', 'Dogs']) expect(await namesIn(category)).toEqual(namesOf(category));
    const stocked = (await petsOf('Dogs')).find(({ name }) => name === 'Pet 100')!;
    expect((await staff('GET', `/store/inventory/${stocked.id}`)).body.quantity).toBe(7);

    const repeated = importing(petstore.url, file);
    expect([await repeated.exit, repeated.output()]).toEqual([0, expect.stringContaining('250 created already')]);
    expect((await petsOf('Dogs')).length).toBe(count / 2);
  });

  it('creates the sample data, also when it is killed several times', async () => {
    // A copy, because the checkpoint is beside the file.
    const sample = join(await newFolder(), 'sample.csv');
    await copyFile('cdk/commands/import/sample.csv', sample);
    for (const killPoint of [/^POST \/pets .*Neon/, /^PUT /, /^PATCH \/pets/, undefined]) {
      let isReached = false;
      const url = await startProxy(request => {
        isReached ||= killPoint?.test(request) ?? false;
        return isReached ? 'never' : undefined;
      });
      const seeding = importing(url, sample, '--rate', '1000');
      if (killPoint) {
        await expect.poll(() => isReached || seeding.child.exitCode !== null).toBe(true);
        seeding.child.kill('SIGKILL');
        await seeding.exit;
      } else expect(await seeding.exit, seeding.output()).toBe(0);
      // Each proxy has a checkpoint of its own.
      await rm(checkpointPathOf(sample, url), { force: true });
    }
    expect(await namesIn('Fish')).toEqual(['Clownfish', 'Guppy', 'Neon tetra']);
    expect(await stockOf('Neon tetra', 'Fish')).toEqual({ quantity: 240, status: 'available' });
  });
});

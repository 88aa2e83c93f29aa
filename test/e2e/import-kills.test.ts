import { expect, it } from 'vitest';
import { catalogOf, writeRows } from '../support/catalog.ts';
import { usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

const petstore = usePetstore();
const { petsOf, stockOf } = catalogOf(petstore);

it('npm run import creates each pet of a file once, also when it is killed and run again', async () => {
  const pets = Array.from({ length: 250 }, (_, index) => ({
    name: `Pet ${index}`,
    category: index % 2 ? 'Cats' : 'Dogs',
    ...(index % 50 === 0 && { quantity: 7 }),
  }));
  const file = await writeRows(pets);
  const stage = ['--url', petstore.url, '--client', 'staff', '--secret', 'local'];
  const importAt = (rate: string) => run('cdk/commands/import/index.ts', [file, ...stage, '--rate', rate]);

  const killed = importAt('100');
  await expect.poll(async () => (await petsOf('Cats')).length).toBeGreaterThan(10);
  killed.child.kill('SIGKILL');
  await killed.exit;
  expect((await petsOf('Dogs')).length).toBeLessThan(125);

  const resumed = importAt('500');
  const printed = expect.stringMatching(/; [1-9]\d* were imported before\n$/);
  expect([await resumed.exit, resumed.output()]).toEqual([0, printed]);
  const created = [...(await petsOf('Cats')), ...(await petsOf('Dogs'))].map(({ name }) => name);
  expect(created.sort()).toEqual(pets.map(({ name }) => name).sort());
  expect(await stockOf('Pet 100', 'Dogs')).toEqual({ quantity: 7, status: 'available' });
});

import { describe, expect, it } from 'vitest';
import { shop } from '../../cdk/commands/seed/shop.ts';
import { catalogOf, writeLines } from '../support/catalog.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

const petstore = usePetstore();
const { petsOf, namesIn, startProxy, stockOf } = catalogOf(petstore);
const importing = (...args: string[]) => run('cdk/commands/import/index.ts', ['--local', petstore.url, ...args]);

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
    const file = await writeLines(lines);

    const killed = run('cdk/commands/import/index.ts', ['--local', petstore.url, file, '--rate', '100']);
    await expect.poll(async () => (await petsOf('Cats')).length).toBeGreaterThan(10);
    killed.child.kill('SIGKILL');
    await killed.exit;
    expect((await petsOf('Dogs')).length).toBeLessThan(count / 2);

    const resumed = importing(file, '--rate', '500');
    expect(await resumed.exit, resumed.output()).toBe(0);
    expect(resumed.output()).toMatch(/^250 pets, [1-9]\d* created already/);
    for (const category of ['Cats', 'Dogs']) expect(await namesIn(category)).toEqual(namesOf(category));
    const stocked = (await petsOf('Dogs')).find(({ name }) => name === 'Pet 100')!;
    expect((await staff('GET', `/store/inventory/${stocked.id}`)).body.quantity).toBe(7);

    const repeated = importing(file);
    expect([await repeated.exit, repeated.output()]).toEqual([0, expect.stringContaining('250 created already')]);
    expect((await petsOf('Dogs')).length).toBe(count / 2);
  });
});

describe('npm run seed', () => {
  it('creates the same data, also when it is killed several times', async () => {
    const killPoints = [/^POST \/pets .*Neon/, /^PUT /, /^PATCH \/pets/, /^POST \/store\/orders/, /^PATCH \/store/];
    for (const killPoint of [...killPoints, undefined]) {
      let isReached = false;
      const url = await startProxy(request => {
        isReached ||= killPoint?.test(request) ?? false;
        return isReached ? 'never' : undefined;
      });
      const seeding = run('cdk/commands/seed/index.ts', ['--url', url, '--client', 'staff', '--secret', 'local']);
      if (killPoint) {
        await expect.poll(() => isReached || seeding.child.exitCode !== null).toBe(true);
        seeding.child.kill('SIGKILL');
        await seeding.exit;
      } else expect(await seeding.exit, seeding.output()).toBe(0);
    }
    const stocked = shop.flatMap(({ name, pets }) => pets.map(pet => ({ ...pet, category: name })));
    for (const { name, category, quantity = 1 } of stocked.filter(pet => (pet.quantity ?? 1) > 1))
      expect([name, await stockOf(name, category)]).toEqual([
        name,
        { quantity: quantity - Math.ceil(quantity / 10), status: 'available' },
      ]);
    const orders = (await petstore.staff('GET', '/store/orders?limit=100')).body;
    const tens = stocked.flatMap(({ quantity = 1 }) => (quantity > 1 ? [Math.ceil(quantity / 10)] : []));
    const ofSeed = orders.slice(0, tens.length);
    expect(ofSeed.map(({ quantity }: { quantity: number }) => quantity).reverse()).toEqual(tens);
    expect(ofSeed.map(({ complete }: { complete: boolean }) => complete).reverse()).toEqual([true, false, true, false]);
  });

  it('skips an order that was canceled between two runs', async () => {
    const other = await startPetstore();
    let isReached = false;
    const url = await catalogOf(other).startProxy(request => {
      isReached ||= request.startsWith('POST /store/orders');
      return isReached ? 'never' : undefined;
    });
    const killed = run('cdk/commands/seed/index.ts', ['--url', url, '--client', 'staff', '--secret', 'local']);
    await expect.poll(() => isReached || killed.child.exitCode !== null).toBe(true);
    killed.child.kill('SIGKILL');
    await killed.exit;
    const orders = async () => (await other.staff('GET', '/store/orders')).body;
    const [canceled] = await orders();
    expect((await other.staff('DELETE', `/store/orders/${canceled.id}`)).status).toBe(204);
    const seeding = run('cdk/commands/seed/index.ts', ['--url', other.url, '--client', 'staff', '--secret', 'local']);
    expect(await seeding.exit, seeding.output()).toBe(0);
    expect((await orders()).map(({ id }: { id: number }) => id)).not.toContain(canceled.id);
    await other.stop();
  });
});

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
import { permissions } from '../../cdk/config/permissions.ts';
import { contentsOf } from '../reference/invariants.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { type Petstore, startPetstore, synthesizeShared, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

describe('after the number of index shards has increased', () => {
  type Stored = Record<'all' | 'byState' | 'byGroup' | 'byGroupAndState', string>;
  const stored = async (sk: 'PET' | 'ORDER', id: number) => {
    const contents = await contentsOf(inject('endpoint'), petstore.tableName);
    const { all, byState, byGroup, byGroupAndState } = (sk === 'PET' ? contents.pets : contents.orders).find(
      item => item.id === id,
    ) as Stored;
    return { all, byState, byGroup, byGroupAndState };
  };

  /** Creates an item whose current shard differs from the shard that a write would choose now. */
  const createInAnotherShard = async <T extends { id: number }>(create: () => Promise<T>): Promise<T> => {
    const created = await create();
    return created.id % 4 === 0 ? createInAnotherShard(create) : created;
  };

  let sharded: Petstore;
  beforeAll(async () => {
    sharded = await startPetstore({ tableName: petstore.tableName, environment: { INDEX_SHARDS: '4' } });
  });
  afterAll(() => sharded.stop());

  it('a write moves an older pet only in the lists that it enters or leaves', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const { id: elsewhere } = await createCategory(petstore.staff);
    const pet = await createInAnotherShard(() => createPet(petstore.staff, categoryId));
    const before = await stored('PET', pet.id);
    const shard = pet.id % 4;
    const inStatus = (status: string) => ({
      ...before,
      byState: `PETS#${status}#${shard}`,
      byGroupAndState: `CATEGORY#${categoryId}#PETS#${status}#${shard}`,
    });

    const write = async (...request: Parameters<typeof sharded.staff>) => {
      const { status, body } = await sharded.staff(...request);
      expect(status, JSON.stringify(body)).toBeLessThan(300);
      return stored('PET', pet.id);
    };
    const [path, stock] = [`/pets/${pet.id}`, `/store/inventory/${pet.id}`];
    expect(await write('PATCH', path, { body: { name: 'Kit' } })).toEqual(before);
    expect(await write('PUT', stock, { body: { quantity: 1 } })).toEqual(before);
    expect(await write('POST', '/store/orders', { body: { petId: pet.id } })).toEqual(inStatus('pending'));
    const [order] = (await sharded.staff('GET', '/store/orders?limit=1')).body;
    expect(await write('DELETE', `/store/orders/${order.id}`)).toEqual(inStatus('available'));
    expect(await write('PUT', stock, { body: { quantity: 0 } })).toEqual(inStatus('sold'));
    expect(await write('PATCH', path, { body: { status: 'pending' } })).toEqual(inStatus('pending'));
    expect(await write('PATCH', path, { body: { categoryId: elsewhere } })).toEqual({
      ...inStatus('pending'),
      byGroup: `CATEGORY#${elsewhere}#PETS#${shard}`,
      byGroupAndState: `CATEGORY#${elsewhere}#PETS#pending#${shard}`,
    });
    const found = [`/pets?`, `/pets?categoryId=${elsewhere}&`, '/pets?status=pending&'].map(
      async list => (await sharded.anonymous('GET', `${list}limit=100`)).body,
    );
    for (const list of await Promise.all(found))
      expect(list).toContainEqual({ ...pet, name: 'Kit', categoryId: elsewhere, status: 'pending' });
  });

  it('a write moves an older order only in the lists of its state', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, categoryId);
    await petstore.staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 99 } });
    const place = async () => (await petstore.shop('POST', '/store/orders', { body: { petId: pet.id } })).body;
    const order = await createInAnotherShard<{ id: number }>(place);
    const before = await stored('ORDER', order.id);
    const path = `/store/orders/${order.id}`;
    await sharded.staff('PATCH', path, { body: { shipDate: '2027-01-01T00:00:00Z' } });
    expect(await stored('ORDER', order.id)).toEqual(before);
    await sharded.staff('PATCH', path, { body: { complete: true } });
    const state = `complete#${order.id % 4}`;
    expect(await stored('ORDER', order.id)).toEqual({
      ...before,
      byState: `ORDERS#${state}`,
      byGroupAndState: `${before.byGroup.replace(/#0$/, '')}#${state}`,
    });
  });
});

describe('while functions read more index shards than they write', () => {
  it('a list has what functions of the next deployment write', async () => {
    const settings = { indexShards: { read: 4, write: 1 } };
    const assembly = await synthesizeShared({ stage: 'local', settings });
    for (const [id, { Environment }] of resourcesOf(assembly.template, 'AWS::Lambda::Function')) {
      const operation = permissions[id.replace(/Function\w{8}$/, '') as keyof typeof permissions];
      if (!operation) continue;
      expect([id, Environment.Variables.INDEX_SHARDS]).toEqual([id, operation.indexes ? '4' : '1']);
    }
    const [, publisher] = resourcesOf(assembly.template, 'AWS::Lambda::Function').find(([id]) =>
      id.startsWith('Events'),
    )!;
    expect(publisher.Environment.Variables.INDEX_SHARDS).toBe('4');
    const { tableName } = petstore;
    const between = await startPetstore({ assembly, tableName });
    const next = await startPetstore({ tableName, environment: { INDEX_SHARDS: '4' } });
    const { id } = await createCategory(next.staff);
    const created: number[] = [];
    while (created.every(pet => pet % 4 === 0)) created.push((await createPet(next.staff, id)).id);
    const { body } = await between.anonymous('GET', `/pets?categoryId=${id}`);
    expect(body.map((pet: { id: number }) => pet.id)).toEqual(created.toSorted((a, b) => b - a));
    await next.stop();
    await between.stop();
  });
});

import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { cacheControlOf, isList } from '../../lib/operations/operation.ts';
import { newPet } from '../support/new-pet.ts';
import type { ApiResponse } from '../support/petstore.ts';
import { mark } from './clean-up.ts';
import { call, expectErrorNamed, needs, stage, useStage } from './stage.ts';

await useStage();

const run = `${mark}${new Date().toISOString()} ${crypto.randomUUID().slice(0, 8)}`;
const client = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => call(method, path, { token: 'client', headers, ...(body !== undefined && { body }) });
const matching = ({ headers }: ApiResponse) => ({ 'If-Match': headers.get('ETag')! });
/** Lists read indexes, which are eventually consistent. */
const eventually = { timeout: 20_000, interval: 1_000 };

it.each(allOperations.filter(isList))('$path is a list', async operation => {
  const { path, access } = operation;
  if (access !== 'public') needs(access);
  const { status, headers, body } = await client('GET', `${path}?limit=1`);
  expect([status, headers.get('Cache-Control')]).toEqual([200, cacheControlOf(operation)]);
  expect(body.length).toBeLessThanOrEqual(1);
});

// Each test uses what those before it created, so a failed test is not repeated.
describe.skipIf(stage.readOnly)('a category with three pets', { retry: 0 }, () => {
  let category: ApiResponse;
  const pets: ApiResponse[] = [];

  it('is created and replaced, if its ETag matches', async () => {
    category = await client('POST', '/pets/categories', { name: run });
    expect(category).toMatchObject({ status: 201, body: { name: run } });
    if (stage.createdFile) appendFileSync(stage.createdFile, `${category.body.id}\n`);
    const path = `/pets/categories/${category.body.id}`;
    expect((await call('GET', path)).body).toEqual(category.body);
    const replaced = { ...category.body, description: 'Created by a verification' };
    expectErrorNamed(
      await client('PUT', path, replaced, { 'If-Match': '"another"' }),
      'precondition_failed',
    );
    expect((await client('PUT', path, replaced, matching(category))).body).toEqual(replaced);
  });

  it('has pets, in pages with links', async () => {
    const { id: categoryId } = category.body;
    for (const name of ['One', 'Two', 'Three'])
      pets.push(await client('POST', '/pets', { ...newPet, name, categoryId }));
    expect(pets.map(({ status }) => status)).toEqual([201, 201, 201]);
    expectErrorNamed(
      await client('POST', '/pets', { ...newPet, categoryId: 0 }),
      'category_not_found_in_body',
    );
    const ids = ({ body }: ApiResponse) => body.map(({ id }: { id: number }) => id);
    const first = () => call('GET', `/pets?categoryId=${categoryId}&limit=2`);
    await expect.poll(async () => ids(await first()).length, eventually).toBe(2);
    const page = await first();
    const next = nextPageOf(page.headers)!;
    expect(next.startsWith(`${stage.url}/pets?`), next).toBe(true);
    const both = async () => [...ids(page), ...ids(await call('GET', next))].sort();
    await expect.poll(both, eventually).toEqual(pets.map(({ body }) => body.id).sort());
    const cursor = new URL(next).searchParams.get('cursor');
    expectErrorNamed(await call('GET', `/pets/categories?cursor=${cursor}`), 'invalid_cursor');
  });

  it('has a pet that is read, changed and replaced, if its ETag matches', async () => {
    const pet = pets[2]!;
    const path = `/pets/${pet.body.id}`;
    const read = await call('GET', path);
    const sunset = Date.parse(read.headers.get('Sunset')!);
    // A stage may return 410 for a deprecated operation, but only after its sunset.
    if (read.status === 410) expect(sunset, 'Sunset').toBeLessThan(Date.now());
    else expect([read.body, sunset]).toEqual([pet.body, expect.any(Number)]);
    const known = { headers: { 'If-None-Match': pet.headers.get('ETag')! } };
    expect((await call('GET', `/pets?id=${pet.body.id}`, known)).status).toBe(304);
    const patch = { ...matching(pet), 'Content-Type': 'application/merge-patch+json' };
    expect((await client('PATCH', path, { name: 'Renamed' }, patch)).body).toEqual({
      ...pet.body,
      name: 'Renamed',
    });
    expectErrorNamed(await client('PUT', path, pet.body, matching(pet)), 'precondition_failed');
    expect((await client('PUT', path, pet.body)).body).toEqual(pet.body);
  });

  it('has an order that takes and returns units', async () => {
    const { id: petId } = pets[2]!.body;
    const stock = async () => (await client('GET', `/store/inventory/${petId}`)).body.quantity;
    for (const replayed of [null, 'true']) {
      const key = { 'Idempotency-Key': `${run} stock` };
      const counted = await client('PUT', `/store/inventory/${petId}`, { quantity: 10 }, key);
      expect([counted.body.quantity, counted.headers.get('Idempotent-Replayed')]).toEqual([
        10,
        replayed,
      ]);
    }
    const place = (quantity: number) =>
      client('POST', '/store/orders', { petId, quantity }, { 'Idempotency-Key': `${run} order` });
    const [placed, again] = [await place(3), await place(3)];
    expect([placed.status, placed.body]).toMatchObject([
      201,
      { petId, quantity: 3, complete: false },
    ]);
    expect([again.body, again.headers.get('Idempotent-Replayed')]).toEqual([placed.body, 'true']);
    expectErrorNamed(await place(4), 'idempotency_key_reused');
    expectErrorNamed(
      await client('POST', '/store/orders', { petId, quantity: 8 }),
      'insufficient_stock',
    );
    expect(await stock()).toBe(7);
    const path = `/store/orders/${placed.body.id}`;
    expect((await client('GET', path)).body).toEqual(placed.body);
    if (stage.scopes.includes('orders.manage')) {
      const shipped = await client(
        'PATCH',
        path,
        { shipDate: '2031-01-02T03:04:05Z' },
        matching(placed),
      );
      expect(shipped.body.shipDate).toBe('2031-01-02T03:04:05Z');
      expectErrorNamed(
        await client('PATCH', path, { shipDate: null }, matching(placed)),
        'precondition_failed',
      );
      expect((await client('GET', `/store/orders?petId=${petId}`)).status).toBe(200);
    } else expectErrorNamed(await client('GET', `/store/orders?petId=${petId}`), 'forbidden');
    expectErrorNamed(await client('DELETE', `/pets/${petId}`), 'pet_has_open_orders');
    expectErrorNamed(
      await client('DELETE', `/pets/categories/${category.body.id}`),
      'category_in_use',
    );
    expect((await client('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'DELETE'])
      expectErrorNamed(await client(method, path), 'order_not_found');
    expect(await stock()).toBe(10);
    expect((await client('DELETE', `/pets/${petId}`)).status).toBe(204);
    expectErrorNamed(await client('GET', `/store/inventory/${petId}`), 'pet_not_found');
  });
});

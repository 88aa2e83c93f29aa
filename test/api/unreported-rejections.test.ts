import { afterEach, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

/**
 * DynamoDB reports for each write of a canceled transaction whether its condition failed, with the item. The engines
 * report all of them. AWS does not document that DynamoDB always does. Here it reports only one failed condition, or
 * no item.
 */

const petstore = usePetstore();
afterEach(() => {
  petstore.proxy.faultFor = () => undefined;
});

interface Reason {
  readonly Code: string;
  readonly Item?: object;
}

const failed = ({ Code }: Reason) => Code === 'ConditionalCheckFailed';
const only = (index: number) => (reasons: Reason[]) =>
  reasons.map((reason, at) => (at === index ? reason : { Code: 'None' }));

const reports = {
  'only the first failed condition': (reasons: Reason[]) => only(reasons.findIndex(failed))(reasons),
  'only the last failed condition': (reasons: Reason[]) => only(reasons.findLastIndex(failed))(reasons),
  'no item': (reasons: Reason[]) => reasons.map(({ Code }) => ({ Code })),
};

const rewrite = (report: (reasons: Reason[]) => Reason[]) => (body: { CancellationReasons?: Reason[] }) =>
  body.CancellationReasons ? { ...body, CancellationReasons: report(body.CancellationReasons) } : body;

describe.each(Object.entries(reports))('when DynamoDB reports %s', (name, report) => {
  /** Applies from now on. `meanwhile` runs before the first transaction arrives. */
  const rewriteReports = (meanwhile: () => Promise<unknown> = async () => undefined) => {
    let first = true;
    petstore.proxy.faultFor = ({ operation }) => {
      if (operation !== 'TransactWriteItems') return undefined;
      if (!first) return { rewrite: rewrite(report) };
      first = false;
      return { meanwhile, rewrite: rewrite(report) };
    };
  };
  const withoutRewrite = async <T>(act: () => Promise<T>): Promise<T> => {
    const { faultFor } = petstore.proxy;
    petstore.proxy.faultFor = () => undefined;
    const result = await act();
    petstore.proxy.faultFor = faultFor;
    return result;
  };
  const setStatus = (petId: number, status: string) =>
    withoutRewrite(() => petstore.staff('PATCH', `/pets/${petId}`, { body: { status } }));
  const order = async (petId: number, fields: object = {}) =>
    (await petstore.shop('POST', '/store/orders', { body: { petId, ...fields } })).body as { id: number };
  const tagOf = async (path: string) => ({ 'If-Match': (await petstore.staff('GET', path)).headers.get('ETag')! });

  let keys = 0;
  const keyed = (body: object) => ({ body, headers: { 'Idempotency-Key': `${name}-${keys++}`.replaceAll(' ', '-') } });

  it('an order of a sold-out pet is replayed', async () => {
    const pet = await stockedPet(petstore.staff, 1);
    const request = keyed({ petId: pet.id });
    const first = await petstore.shop('POST', '/store/orders', request);
    rewriteReports();
    const again = await petstore.shop('POST', '/store/orders', request);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = { ...request, body: { petId: pet.id, quantity: 2 } };
    expectError(await petstore.shop('POST', '/store/orders', other), 422, 'idempotency_key_reused');
  });

  it('a pet of a deleted category is replayed', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const request = keyed({ name: 'Tom', categoryId });
    const first = await petstore.staff('POST', '/pets', request);
    await petstore.staff('DELETE', `/pets/${first.body.id}`);
    await petstore.staff('DELETE', `/pets/categories/${categoryId}`);
    rewriteReports();
    const again = await petstore.staff('POST', '/pets', request);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expectError(await petstore.staff('POST', '/pets', keyed(request.body)), 422, 'category_not_found');
  });

  it('a category is replayed', async () => {
    const request = keyed({ name: 'Cats' });
    const first = await petstore.staff('POST', '/pets/categories', request);
    rewriteReports();
    const again = await petstore.staff('POST', '/pets/categories', request);
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  it('the last unit of a pet can be ordered, and a pet that is not available cannot', async () => {
    const pet = await stockedPet(petstore.staff, 1);
    const request = { body: { petId: pet.id } };
    rewriteReports();
    expect((await petstore.shop('POST', '/store/orders', request)).status).toBe(201);
    expectError(await petstore.shop('POST', '/store/orders', request), 409, 'pet_not_available');
    expectError(await petstore.shop('POST', '/store/orders', { body: { petId: 4095 } }), 422, 'pet_not_found');
    await petstore.staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 2 } });
    const tooMany = { body: { petId: pet.id, quantity: 3 } };
    expectError(await petstore.shop('POST', '/store/orders', tooMany), 409, 'insufficient_stock');
  });

  it('a pet that another request changes at the same time is changed and deleted', async () => {
    const pet = await stockedPet(petstore.staff, 3);
    rewriteReports(() => setStatus(pet.id, 'pending'));
    const renamed = await petstore.staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Kit' } });
    expect([renamed.status, renamed.body]).toEqual([200, { ...pet, name: 'Kit', status: 'pending' }]);
    rewriteReports(() => setStatus(pet.id, 'sold'));
    expect((await petstore.staff('DELETE', `/pets/${pet.id}`)).status).toBe(204);
  });

  it('a pet that another request moves out of a category is deleted, also when the category is deleted', async () => {
    const pet = await stockedPet(petstore.staff, 3);
    const { id: categoryId } = await createCategory(petstore.staff);
    rewriteReports(() =>
      withoutRewrite(async () => {
        await petstore.staff('PATCH', `/pets/${pet.id}`, { body: { categoryId } });
        await petstore.staff('DELETE', `/pets/categories/${pet.categoryId}`);
      }),
    );
    expect((await petstore.staff('DELETE', `/pets/${pet.id}`)).status).toBe(204);
  });

  it('a move to an unknown category returns 404 and 412 before 422', async () => {
    const pet = await stockedPet(petstore.staff, 3);
    const path = `/pets/${pet.id}`;
    const move = { body: { categoryId: 4095 } };
    rewriteReports();
    expectError(await petstore.staff('PATCH', path, move), 422, 'category_not_found');
    const headers = await tagOf(path);
    rewriteReports(() => setStatus(pet.id, 'pending'));
    expectError(await petstore.staff('PATCH', path, { ...move, headers }), 412, 'precondition_failed');
    rewriteReports(() => withoutRewrite(() => petstore.staff('DELETE', path)));
    expectError(await petstore.staff('PATCH', path, move), 404, 'pet_not_found');
  });

  it('the stock of a pet is set whatever its status is, and returns 404 for an unknown pet', async () => {
    const pet = await stockedPet(petstore.staff, 3);
    await setStatus(pet.id, 'sold');
    rewriteReports();
    const { status, body } = await petstore.staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 8 } });
    expect([status, body]).toEqual([200, { petId: pet.id, quantity: 8, status: 'sold' }]);
    const unknown = await petstore.staff('PUT', '/store/inventory/4095', { body: { quantity: 8 } });
    expectError(unknown, 404, 'pet_not_found');
  });

  it('the order of a pet’s last unit can be completed and canceled', async () => {
    const [sold, available] = [await stockedPet(petstore.staff, 1), await stockedPet(petstore.staff, 1)];
    const [first, second] = [await order(sold.id), await order(available.id)];
    rewriteReports();
    const path = `/store/orders/${first.id}`;
    expect((await petstore.staff('PATCH', path, { body: { complete: true } })).status).toBe(200);
    expect((await petstore.shop('DELETE', `/store/orders/${second.id}`)).status).toBe(204);
    const statuses = [sold, available].map(
      async ({ id }) => (await petstore.anonymous('GET', `/pets/${id}`)).body.status,
    );
    expect(await Promise.all(statuses)).toEqual(['sold', 'available']);
  });

  it('an order that another request completes cannot be canceled, also when its pet is deleted', async () => {
    const pet = await stockedPet(petstore.staff, 1);
    const { id } = await order(pet.id);
    rewriteReports(() =>
      withoutRewrite(async () => {
        await petstore.staff('PATCH', `/store/orders/${id}`, { body: { complete: true } });
        await petstore.staff('DELETE', `/pets/${pet.id}`);
      }),
    );
    expectError(await petstore.shop('DELETE', `/store/orders/${id}`), 409, 'order_complete');
  });

  it('a category in use is not deleted, and one that another request changes is replaced', async () => {
    const { id } = await createCategory(petstore.staff);
    await createPet(petstore.staff, id);
    const path = `/pets/categories/${id}`;
    rewriteReports();
    expectError(await petstore.staff('DELETE', path), 409, 'category_in_use');
    expectError(
      await petstore.staff('PUT', '/pets/categories/4095', { body: { name: 'Dogs' } }),
      404,
      'category_not_found',
    );
    const headers = await tagOf(path);
    rewriteReports(() => withoutRewrite(() => petstore.staff('PUT', path, { body: { name: 'Dogs' } })));
    expectError(await petstore.staff('PUT', path, { body: { name: 'Birds' }, headers }), 412, 'precondition_failed');
  });
});

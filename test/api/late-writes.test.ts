import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { contentsOf } from '../reference/invariants.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { type Petstore, usePetstore } from '../support/petstore.ts';
import { type Prepared, prepareWrite, writeIds } from '../support/writes.ts';

/**
 * The first attempt of a write is delayed. Its caller gets no response and continues; the attempt arrives later, or
 * never.
 */

const tableName = `petstore-${randomUUID()}`;
const petstore = usePetstore({ tableName });
/** Has a short retry budget: for requests that end with a 503. */
const shortBudget = usePetstore({ tableName, environment: { RETRY_BUDGET_MS: '300' } });
afterEach(() => {
  for (const { proxy } of [petstore, shortBudget]) {
    proxy.faultFor = () => undefined;
    proxy.late.length = 0;
  }
});

/** Injects these faults into the next transactions, one into each, then `lasting` into all others. */
const injectFaults = ({ proxy }: Petstore, faults: readonly (Fault | undefined)[], lasting?: Fault) => {
  const left = [...faults];
  proxy.faultFor = ({ operation }) => {
    if (operation !== 'TransactWriteItems') return undefined;
    return left.length > 0 ? left.shift() : lasting;
  };
};

const contents = () => contentsOf(inject('endpoint'), tableName);

/** Delivers the late attempt. */
const deliverLateAttempt = async ({ proxy }: Petstore = petstore) => {
  expect(proxy.late.length).toBe(1);
  return proxy.late.pop()!();
};

const expectParameterMismatch = ({ status, body }: Awaited<ReturnType<typeof deliverLateAttempt>>) =>
  expect([status, body.__type]).toEqual([400, expect.stringMatching(/#IdempotentParameterMismatch/)]);

describe('an attempt that arrives after its retry was rejected', () => {
  it.each(writeIds)('is rejected, and %s takes effect once', async id => {
    const [client, ...request] = await prepareWrite[id](petstore);
    injectFaults(petstore, ['cutLate', 'conditionFailed']);
    const { status, body } = await petstore[client](...request);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    const before = await contents();
    expectParameterMismatch(await deliverLateAttempt());
    expect(await contents()).toEqual(before);
  });

  it('does not create a second order', async () => {
    const pet = await stockedPet(petstore.staff, 2);
    const sellOne = async () =>
      expect((await petstore.rival('POST', '/store/orders', { body: { petId: pet.id } })).status).toBe(201);
    // The first attempt takes one of two units. At its retry only the last unit is left, which needs another write.
    injectFaults(petstore, ['cutLate', { meanwhile: sellOne }]);
    const { body: order } = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id } });
    await petstore.staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 5 } });
    await deliverLateAttempt();
    expect(
      (await petstore.shop('GET', '/store/orders')).body.filter(({ petId }: { petId: number }) => petId === pet.id),
    ).toEqual([order]);
    expect((await petstore.staff('GET', `/store/inventory/${pet.id}`)).body.quantity).toBe(5);
  });

  it('does not create an order after the caller got 409', async () => {
    const pet = await stockedPet(petstore.staff, 9);
    const setStatus = (status: string) => petstore.staff('PATCH', `/pets/${pet.id}`, { body: { status } });
    injectFaults(petstore, ['cutLate', { meanwhile: () => setStatus('pending') }]);
    const response = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id } });
    expectError(response, 409, 'pet_not_available');
    await setStatus('available');
    await deliverLateAttempt();
    expect((await petstore.staff('GET', `/store/inventory/${pet.id}`)).body.quantity).toBe(9);
  });
});

describe('an attempt that arrives after its retry was rejected, and before its ClientRequestToken is invalidated', () => {
  it('is applied, and the request returns 201', async () => {
    const pet = await stockedPet(petstore.staff, 9);
    injectFaults(petstore, ['cutLate', 'conditionFailed', { meanwhile: deliverLateAttempt }]);
    const { status, body } = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id, quantity: 4 } });
    expect([status, (await petstore.staff('GET', `/store/inventory/${pet.id}`)).body.quantity]).toEqual([201, 5]);
    expect((await petstore.shop('GET', `/store/orders/${body.id}`)).body).toEqual(body);
  });
});

describe('an attempt of a request that returned 503 and was retried by its caller', () => {
  /** The first attempt is delayed, and the others do not arrive. */
  const failAndRetry = async ([client, method, path, request]: Prepared) => {
    injectFaults(shortBudget, ['cutLate'], 'cutBefore');
    expectError(await shortBudget[client](method, path, request), 503, 'outcome_unknown');
    const { status, body } = await petstore[client](method, path, request);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  };

  it.each(writeIds)('changes nothing when it arrives after the retry of %s with a key', async id => {
    const [client, method, path, request] = await prepareWrite[id](petstore);
    await failAndRetry([client, method, path, { ...request, headers: { 'Idempotency-Key': `after-503-${id}` } }]);
    const before = await contents();
    await deliverLateAttempt(shortBudget);
    expect(await contents()).toEqual(before);
  });

  it.each(writeIds.filter(id => !/^(create|place)/.test(id)))(
    'changes nothing when it arrives after the retry of %s without a key',
    async id => {
      await failAndRetry(await prepareWrite[id](petstore));
      const before = await contents();
      await deliverLateAttempt(shortBudget);
      expect(await contents()).toEqual(before);
    },
  );

  it('of setInventory with a key does not restore units that were sold before the retry', async () => {
    const { id } = await stockedPet(petstore.staff, 9);
    const path = `/store/inventory/${id}`;
    const request = { body: { quantity: 5 }, headers: { 'Idempotency-Key': 'inventory' } };
    injectFaults(shortBudget, ['cutAfter'], 'cutBefore');
    expectError(await shortBudget.staff('PUT', path, request), 503, 'outcome_unknown');
    await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity: 4 } });
    const { status, headers } = await petstore.staff('PUT', path, request);
    expect([status, headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect((await petstore.staff('GET', path)).body.quantity).toBe(1);
  });

  it('of setInventory does not restore units that were sold after the retry', async () => {
    const { id } = await stockedPet(petstore.staff, 9);
    const path = `/store/inventory/${id}`;
    await failAndRetry(['staff', 'PUT', path, { body: { quantity: 5 } }]);
    const order = { body: { petId: id, quantity: 4 } };
    expect((await petstore.shop('POST', '/store/orders', order)).status).toBe(201);
    await deliverLateAttempt(shortBudget);
    expect((await petstore.staff('GET', path)).body.quantity).toBe(1);
  });

  it('of setInventory with 0 does not remove units that were added after the retry', async () => {
    const { id } = await stockedPet(petstore.staff, 9);
    await petstore.staff('PATCH', `/pets/${id}`, { body: { status: 'pending' } });
    const path = `/store/inventory/${id}`;
    await failAndRetry(['staff', 'PUT', path, { body: { quantity: 0 } }]);
    await petstore.staff('PUT', path, { body: { quantity: 10 } });
    await deliverLateAttempt(shortBudget);
    expect((await petstore.staff('GET', path)).body.quantity).toBe(10);
  });

  it('of replaceCategory does not undo a later name', async () => {
    const path = `/pets/categories/${(await createCategory(petstore.staff)).id}`;
    await failAndRetry(['staff', 'PUT', path, { body: { name: 'Dogs' } }]);
    await petstore.staff('PUT', path, { body: { name: 'Hounds' } });
    await deliverLateAttempt(shortBudget);
    expect((await petstore.anonymous('GET', path)).body.name).toBe('Hounds');
  });
});

describe('503 outcome_unknown', () => {
  it.each<[string, readonly Fault[], Fault?]>([
    [
      'the token belongs to another transaction, and the retry is rejected',
      ['cutLate', 'conditionFailed', 'mismatch', 'conditionFailed'],
    ],
    ['the token cannot be invalidated', ['cutLate', 'conditionFailed'], 'throttle'],
    ['the invalidation of the token has no response', ['cutLate', 'conditionFailed'], 'cutBefore'],
  ])('is returned when %s', async (_, faults, lasting) => {
    const { id: categoryId } = await createCategory(petstore.staff);
    injectFaults(shortBudget, faults, lasting);
    const response = await shortBudget.staff('POST', '/pets', { body: { name: 'Tom', categoryId } });
    expectError(response, 503, 'outcome_unknown');
  });
});

describe('TransactionInProgress', () => {
  it('is retried beyond the retry budget, because it is an attempt of the same request', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    let until: number | undefined;
    shortBudget.proxy.faultFor = ({ operation }) => {
      if (operation !== 'TransactWriteItems') return undefined;
      until ??= Date.now() + 600;
      return Date.now() < until ? 'inProgress' : undefined;
    };
    const pet = await createPet(shortBudget.staff, categoryId);
    expect((await petstore.anonymous('GET', `/pets?categoryId=${categoryId}`)).body).toEqual([pet]);
  });
});

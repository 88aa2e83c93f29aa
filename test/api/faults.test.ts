import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Call, Fault } from '../support/dynamodb-proxy.ts';
import { expectError } from '../support/expect-error.ts';
import { buyInParallel, createCategory, createPet, parallelBuyers, stockedPet } from '../support/fixtures.ts';
import { type Client, type Petstore, startPetstore, usePetstore } from '../support/petstore.ts';

const tableName = `petstore-${randomUUID()}`;
const petstore = usePetstore({ tableName });
/** Has a short attempt timeout. A slow attempt without a fault is retried, often enough to succeed. */
const shortTimeout = usePetstore({ tableName, environment: { ATTEMPT_TIMEOUT_MS: '200' } });
/** Has a short retry budget, and the usual attempt timeout: an attempt without a fault is not aborted. */
const shortBudget = usePetstore({ tableName, environment: { RETRY_BUDGET_MS: '300' } });
afterEach(() => {
  for (const { proxy } of [petstore, shortTimeout, shortBudget]) proxy.faultFor = () => undefined;
});

/** Injects a fault into the next writes. @param times how many */
const injectFault = ({ proxy }: Petstore, fault: Fault, times = Number.POSITIVE_INFINITY) => {
  let left = times;
  proxy.faultFor = ({ operation }) => (operation === 'TransactWriteItems' && left-- > 0 ? fault : undefined);
};

const quantityOf = async (petId: number) => (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

describe.each<[fault: Fault, faultyStore: Petstore]>([
  ['conflict', petstore],
  ['throttle', petstore],
  ['error', petstore],
  ['cutBefore', petstore],
  ['cutAfter', petstore],
  ['stallAfter', shortTimeout],
])('one injected %s', (fault, faultyStore) => {
  it('does not change the response of a write, which takes effect once', async () => {
    const category = await createCategory(petstore.staff);
    const pet = await stockedPet(petstore.staff, 10);
    const call = async (...request: Parameters<Client>) => {
      injectFault(faultyStore, fault, 1);
      const { status, body } = await faultyStore.staff(...request);
      return [status, body];
    };

    const [status, tom] = await call('POST', '/pets', { body: { name: 'Tom', categoryId: category.id } });
    expect(status).toBe(201);
    const { body: before } = await petstore.anonymous('GET', `/pets?categoryId=${category.id}`);
    expect(before).toEqual([tom]);

    const tag = (await petstore.anonymous('GET', `/pets/${tom.id}`)).headers.get('ETag')!;
    const renamed = { body: { ...tom, name: 'Kit' }, headers: { 'If-Match': tag } };
    expect(await call('PUT', `/pets/${tom.id}`, renamed)).toEqual([200, { ...tom, name: 'Kit' }]);
    expect(await call('DELETE', `/pets/${tom.id}`)).toEqual([204, '']);
    expect(await call('DELETE', `/pets/categories/${category.id}`)).toEqual([204, '']);

    const [placed, order] = await call('POST', '/store/orders', { body: { petId: pet.id, quantity: 4 } });
    expect([placed, await quantityOf(pet.id)]).toEqual([201, 6]);
    expect(await call('DELETE', `/store/orders/${order.id}`)).toEqual([204, '']);
    expect(await quantityOf(pet.id)).toBe(10);
    expect(await call('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 3 } })).toEqual([
      200,
      { petId: pet.id, quantity: 3, status: 'available' },
    ]);
  });
});

describe('a write whose response was lost', () => {
  it('returns 200 to its retry, also after a write of another caller', async () => {
    const { id } = await createCategory(petstore.staff);
    const tag = (await petstore.anonymous('GET', `/pets/categories/${id}`)).headers.get('ETag')!;
    const put = (name: string, headers = {}) =>
      petstore.staff('PUT', `/pets/categories/${id}`, { body: { name }, headers });
    // The response of the first writer is lost. Before its retry arrives, a second writer replaces the category.
    const second = async () => expect((await put('Second')).status).toBe(200);
    const faults: Fault[] = ['cutAfter', { meanwhile: second }];
    petstore.proxy.faultFor = ({ operation }) => (operation === 'TransactWriteItems' ? faults.shift() : undefined);
    expect((await put('First', { 'If-Match': tag })).status).toBe(200);
    expect(faults).toEqual([]);
    expect((await petstore.anonymous('GET', `/pets/categories/${id}`)).body.name).toBe('Second');
  });
});

describe('after the last retry', () => {
  it.each(['conflict', 'throttle'] as const)(
    'a write returns 503 try_again (“nothing was written”) for a lasting %s',
    async fault => {
      const pet = await stockedPet(petstore.staff, 5);
      injectFault(shortBudget, fault);
      const response = await shortBudget.shop('POST', '/store/orders', { body: { petId: pet.id } });
      expectError(response, 503, 'try_again', /nothing was written.*retry/);
      expect(response.headers.get('Retry-After')).toBe('1');
      expect(await quantityOf(pet.id)).toBe(5);
    },
  );

  it.each<[fault: Fault, faultyStore: Petstore]>([
    ['stallAfter', shortTimeout],
    ['cutAfter', shortBudget],
    ['error', shortBudget],
  ])(
    'a write returns 503 outcome_unknown for a lasting %s; its retry with the same key returns 201',
    async (fault, faultyStore) => {
      const pet = await stockedPet(petstore.staff, 5);
      const request = {
        body: { petId: pet.id, quantity: 2 },
        headers: { 'Idempotency-Key': `lost-${fault}-${pet.id}` },
      };
      injectFault(faultyStore, fault);
      const response = await faultyStore.shop('POST', '/store/orders', request);
      expectError(response, 503, 'outcome_unknown', /may or may not have happened.*Idempotency-Key/);
      const wasWritten = fault !== 'error';
      expect(await quantityOf(pet.id)).toBe(wasWritten ? 3 : 5);
      const retried = await petstore.shop('POST', '/store/orders', request);
      expect([retried.status, retried.headers.get('Idempotent-Replayed')]).toEqual([201, wasWritten ? 'true' : null]);
      expect(await quantityOf(pet.id)).toBe(3);
    },
  );

  it('a read returns 503 try_again', async () => {
    shortBudget.proxy.faultFor = () => 'throttle';
    for (const path of ['/pets', '/pets/1', '/pets?id=1,2']) {
      expectError(await shortBudget.anonymous('GET', path), 503, 'try_again', /busy/);
    }
  });
});

describe('a request whose read fails', () => {
  it('returns 503 try_again, because nothing was written', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    shortBudget.proxy.faultFor = ({ operation }) => (operation === 'GetItem' ? 'cutAfter' : undefined);
    const responses = [
      await shortBudget.anonymous('GET', `/pets/${pet.id}`),
      await shortBudget.staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Kit' } }),
    ];
    for (const response of responses) expectError(response, 503, 'try_again', /nothing was written/);
    expect((await petstore.anonymous('GET', `/pets/${pet.id}`)).body).toEqual({ ...pet, status: 'available' });
  });
});

describe('a function that is close to its timeout', () => {
  it('returns 503 outcome_unknown before the timeout', async () => {
    // Its deadline is a second after its start. The rest until the timeout is the grace period.
    const timeouts = { function: 25, gateway: 29 };
    const nearTimeout = await startPetstore({ timeouts, environment: { GRACE_PERIOD_MS: '24000' } });
    nearTimeout.proxy.faultFor = () => 'stallAfter';
    const response = await nearTimeout.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    await nearTimeout.stop();
    expectError(response, 503, 'outcome_unknown');
  });
});

describe('an invalid DYNAMODB_ENDPOINT', () => {
  it('results in a 500, although Node’s error has a code like a network error', async () => {
    const misconfigured = await startPetstore({ environment: { DYNAMODB_ENDPOINT: 'nowhere' } });
    const response = await misconfigured.anonymous('GET', '/pets');
    await misconfigured.stop();
    expectError(response, 500, 'internal_error');
    expect(misconfigured.logs.join('')).toContain('ERR_INVALID_URL');
  });
});

/** The response of a batch without its last item, whose key is unprocessed. */
const omitLastItem = (body: { Responses: Record<string, { pk: object; sk: object }[]>; ConsumedCapacity: unknown }) => {
  const [[table, items] = ['', []]] = Object.entries(body.Responses);
  const { pk, sk } = items.at(-1)!;
  return { ...body, Responses: { [table]: items.slice(0, -1) }, UnprocessedKeys: { [table]: { Keys: [{ pk, sk }] } } };
};

/** The response of a batch from a table without capacity: every key is unprocessed (API reference, BatchGetItem). */
const processNothing =
  (pets: readonly { id: number }[]) =>
  ({ Responses, ...rest }: { Responses: Record<string, object[]> }) => {
    const [table = ''] = Object.keys(Responses);
    const keys = pets.map(({ id }) => ({ pk: { S: `PET#${id}` }, sk: { S: 'PET' } }));
    return { ...rest, Responses: { [table]: [] }, UnprocessedKeys: { [table]: { Keys: keys } } };
  };

describe('a BatchGetItem call', () => {
  it('is retried after throttling', async () => {
    const { id } = await createCategory(petstore.staff);
    const pets = [await createPet(petstore.staff, id), await createPet(petstore.staff, id)];
    let calls = 0;
    petstore.proxy.faultFor = ({ operation }) => {
      calls += operation === 'BatchGetItem' ? 1 : 0;
      return calls === 1 ? 'throttle' : undefined;
    };
    const { body } = await petstore.anonymous('GET', `/pets?id=${pets.map(pet => pet.id)}`);
    expect([body.length, calls]).toEqual([2, 2]);
  });

  it('is retried with only the keys that DynamoDB did not process', async () => {
    const { id } = await createCategory(petstore.staff);
    const pets = [await createPet(petstore.staff, id), await createPet(petstore.staff, id)];
    const requested: number[] = [];
    petstore.proxy.faultFor = ({ operation, body }) => {
      if (operation !== 'BatchGetItem') return undefined;
      requested.push(body.RequestItems[petstore.tableName].Keys.length);
      return requested.length > 1 ? undefined : { rewrite: omitLastItem };
    };
    const { body } = await petstore.anonymous('GET', `/pets?id=${pets.map(pet => pet.id)}`);
    expect([body.length, requested]).toEqual([2, [2, 1]]);
  });

  it('is retried with all keys when DynamoDB processed none', async () => {
    const { id } = await createCategory(petstore.staff);
    const pets = [await createPet(petstore.staff, id), await createPet(petstore.staff, id)];
    const list = () => petstore.anonymous('GET', `/pets?id=${pets.map(pet => pet.id)}`);
    let calls = 0;
    petstore.proxy.faultFor = ({ operation }) =>
      operation === 'BatchGetItem' && calls++ === 0 ? { rewrite: processNothing(pets) } : undefined;
    expect((await list()).body.length).toBe(2);

    petstore.proxy.faultFor = ({ operation }) =>
      operation === 'BatchGetItem' ? { rewrite: processNothing(pets) } : undefined;
    expectError(await list(), 503, 'try_again');
  });
});

describe('contention', () => {
  it(`lets ${parallelBuyers} orders for ${parallelBuyers} units succeed while every third transaction conflicts`, async () => {
    const pet = await stockedPet(petstore.staff, parallelBuyers);
    let count = 0;
    petstore.proxy.faultFor = ({ operation }: Call) =>
      operation === 'TransactWriteItems' && count++ % 3 === 0 ? 'conflict' : undefined;
    const { responses, retries } = await buyInParallel(petstore.shop, pet.id, parallelBuyers);
    // The function retries conflicts itself, so few requests return 503 even when many arrive at once.
    expect(retries).toBeLessThan(6);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    petstore.proxy.faultFor = () => undefined;
    expect(await quantityOf(pet.id)).toBe(0);
  });
});

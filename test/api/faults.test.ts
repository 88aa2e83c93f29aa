import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Call, Fault } from '../support/dynamodb-proxy.ts';
import { expectError } from '../support/expect-error.ts';
import { buyInParallel, createCategory, createPet, parallelBuyers, stockedPet } from '../support/fixtures.ts';
import { type Client, type Petstore, startPetstore, usePetstore } from '../support/petstore.ts';

const tableName = `petstore-${randomUUID()}`;
const petstore = usePetstore({ tableName });
/** Gives an attempt up soon, and so often retries an undisturbed one that is slow that it still gets through. */
const hasty = usePetstore({ tableName, environment: { ATTEMPT_TIMEOUT_MS: '200' } });
/** Retries for a short time, however long an attempt takes: an undisturbed one is never given up. */
const brief = usePetstore({ tableName, environment: { RETRY_BUDGET_MS: '300' } });
afterEach(() => {
  for (const { proxy } of [petstore, hasty, brief]) proxy.faultFor = () => undefined;
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
  ['stallAfter', hasty],
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
    // The first writer's answer is lost; before its retry arrives, a second writer replaces its work.
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
      injectFault(brief, fault);
      const answer = await brief.shop('POST', '/store/orders', { body: { petId: pet.id } });
      expectError(answer, 503, 'try_again', /nothing was written.*retry/);
      expect(answer.headers.get('Retry-After')).toBe('1');
      expect(await quantityOf(pet.id)).toBe(5);
    },
  );

  it.each<[fault: Fault, faultyStore: Petstore]>([
    ['stallAfter', hasty],
    ['cutAfter', brief],
    ['error', brief],
  ])(
    'a write returns 503 outcome_unknown for a lasting %s; its retry with the same key returns 201',
    async (fault, faultyStore) => {
      const pet = await stockedPet(petstore.staff, 5);
      const request = {
        body: { petId: pet.id, quantity: 2 },
        headers: { 'Idempotency-Key': `lost-${fault}-${pet.id}` },
      };
      injectFault(faultyStore, fault);
      const answer = await faultyStore.shop('POST', '/store/orders', request);
      expectError(answer, 503, 'outcome_unknown', /may or may not have happened.*Idempotency-Key/);
      const wasWritten = fault !== 'error';
      expect(await quantityOf(pet.id)).toBe(wasWritten ? 3 : 5);
      const retried = await petstore.shop('POST', '/store/orders', request);
      expect([retried.status, retried.headers.get('Idempotent-Replayed')]).toEqual([201, wasWritten ? 'true' : null]);
      expect(await quantityOf(pet.id)).toBe(3);
    },
  );

  it('a read returns 503 try_again', async () => {
    brief.proxy.faultFor = () => 'throttle';
    for (const path of ['/pets', '/pets/1', '/pets?id=1,2']) {
      expectError(await brief.anonymous('GET', path), 503, 'try_again', /busy/);
    }
  });
});

describe('a request whose read fails', () => {
  it('returns 503 try_again, because nothing was written', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    brief.proxy.faultFor = ({ operation }) => (operation === 'GetItem' ? 'cutAfter' : undefined);
    const answers = [
      await brief.anonymous('GET', `/pets/${pet.id}`),
      await brief.staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Kit' } }),
    ];
    for (const answer of answers) expectError(answer, 503, 'try_again', /nothing was written/);
    expect((await petstore.anonymous('GET', `/pets/${pet.id}`)).body).toEqual({ ...pet, status: 'available' });
  });
});

describe('a function that is close to its timeout', () => {
  it('returns 503 outcome_unknown before the timeout', async () => {
    // Its deadline is a second after its start; all that is left until the cut is a grace period.
    const timeouts = { function: 25, gateway: 29 };
    const hurried = await startPetstore({ timeouts, environment: { GRACE_PERIOD_MS: '24000' } });
    hurried.proxy.faultFor = () => 'stallAfter';
    const answer = await hurried.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    await hurried.stop();
    expectError(answer, 503, 'outcome_unknown');
  });
});

describe('an invalid DYNAMODB_ENDPOINT', () => {
  it('results in a 500, although Node’s error has a code like a network error', async () => {
    const misled = await startPetstore({ environment: { DYNAMODB_ENDPOINT: 'nowhere' } });
    const answer = await misled.anonymous('GET', '/pets');
    await misled.stop();
    expectError(answer, 500, 'internal_error');
    expect(misled.logs.join('')).toContain('ERR_INVALID_URL');
  });
});

/** A batch's answer without its last item, whose key is left to be asked for again. */
const leavingOut = (body: { Responses: Record<string, { pk: object; sk: object }[]>; ConsumedCapacity: unknown }) => {
  const [[table, items] = ['', []]] = Object.entries(body.Responses);
  const { pk, sk } = items.at(-1)!;
  return { ...body, Responses: { [table]: items.slice(0, -1) }, UnprocessedKeys: { [table]: { Keys: [{ pk, sk }] } } };
};

/** A batch's response of a table that has no capacity left: every key is unprocessed (API reference, BatchGetItem). */
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
    const asked: number[] = [];
    petstore.proxy.faultFor = ({ operation, body }) => {
      if (operation !== 'BatchGetItem') return undefined;
      asked.push(body.RequestItems[petstore.tableName].Keys.length);
      return asked.length > 1 ? undefined : { rewrite: leavingOut };
    };
    const { body } = await petstore.anonymous('GET', `/pets?id=${pets.map(pet => pet.id)}`);
    expect([body.length, asked]).toEqual([2, [2, 1]]);
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
    // A function takes conflicts upon itself: of a crowd at once, hardly any is left to a buyer.
    expect(retries).toBeLessThan(6);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    petstore.proxy.faultFor = () => undefined;
    expect(await quantityOf(pet.id)).toBe(0);
  });
});

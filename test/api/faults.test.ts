import { afterEach, describe, expect, it } from 'vitest';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import type { Call, Fault } from '../support/dynamodb-proxy.ts';
import { expectError } from '../support/expect-error.ts';
import { sharedBundles, startPetstore, usePetstore } from '../support/petstore.ts';
import { buyInParallel, createCategory, createPet, crowd, stockedPet } from '../support/shop.ts';

const petstore = usePetstore();
afterEach(() => {
  petstore.proxy.faultFor = () => undefined;
});

/** Strikes the first so many writes. */
const strike = (fault: Fault, times: number) => {
  let left = times;
  petstore.proxy.faultFor = ({ operation }) => (operation === 'TransactWriteItems' && left-- > 0 ? fault : undefined);
};

const everyWrite = (fault: Fault) => strike(fault, Number.POSITIVE_INFINITY);

const quantityOf = async (petId: number) => (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

describe.each(['conflict', 'throttle', 'error', 'cutBefore', 'cutAfter', 'stallAfter'] as const)(
  'one %s on the way to the table',
  fault => {
    it('is absorbed by every write, which takes effect once', async () => {
      const category = await createCategory(petstore.staff);
      const pet = await stockedPet(petstore.staff, 10);
      const struck = async (...request: Parameters<typeof petstore.staff>) => {
        strike(fault, 1);
        const { status, body } = await petstore.staff(...request);
        return [status, body];
      };

      const [status, tom] = await struck('POST', '/pets', { body: { name: 'Tom', categoryId: category.id } });
      expect(status).toBe(201);
      const { body: before } = await petstore.anonymous('GET', `/pets?categoryId=${category.id}`);
      expect(before).toEqual([tom]);

      const tag = (await petstore.anonymous('GET', `/pets/${tom.id}`)).headers.get('ETag')!;
      const renamed = { body: { ...tom, name: 'Kit' }, headers: { 'If-Match': tag } };
      expect(await struck('PUT', `/pets/${tom.id}`, renamed)).toEqual([200, { ...tom, name: 'Kit' }]);
      expect(await struck('DELETE', `/pets/${tom.id}`)).toEqual([204, '']);
      expect(await struck('DELETE', `/pets/categories/${category.id}`)).toEqual([204, '']);

      const [placed, order] = await struck('POST', '/store/orders', { body: { petId: pet.id, quantity: 4 } });
      expect([placed, await quantityOf(pet.id)]).toEqual([201, 6]);
      expect(await struck('DELETE', `/store/orders/${order.id}`)).toEqual([204, '']);
      expect(await quantityOf(pet.id)).toBe(10);
      expect(await struck('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 3 } })).toEqual([
        200,
        { petId: pet.id, quantity: 3, status: 'available' },
      ]);
    });
  },
);

describe('a write whose answer was lost', () => {
  it('is recognised as one’s own, also when somebody else has written since', async () => {
    const { id } = await createCategory(petstore.staff);
    const tag = (await petstore.anonymous('GET', `/pets/categories/${id}`)).headers.get('ETag')!;
    // The first writer's answer is lost; while it waits to repeat, a second writer replaces its work.
    let struck = false;
    petstore.proxy.faultFor = ({ operation }) => {
      if (operation !== 'TransactWriteItems' || struck) return undefined;
      struck = true;
      return 'stallAfter';
    };
    const first = petstore.staff('PUT', `/pets/categories/${id}`, {
      body: { name: 'First' },
      headers: { 'If-Match': tag },
    });
    await expect.poll(async () => (await petstore.anonymous('GET', `/pets/categories/${id}`)).body.name).toBe('First');
    expect((await petstore.staff('PUT', `/pets/categories/${id}`, { body: { name: 'Second' } })).status).toBe(200);
    expect((await first).status).toBe(200);
    expect((await petstore.anonymous('GET', `/pets/categories/${id}`)).body.name).toBe('Second');
  });
});

describe('when retries run out', () => {
  it.each(['conflict', 'throttle'] as const)(
    'answers 503 try_again to lasting %ss, saying that nothing was written',
    async fault => {
      const pet = await stockedPet(petstore.staff, 5);
      everyWrite(fault);
      const answer = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id } });
      expectError(answer, 503, 'try_again', /nothing was written.*Idempotency-Key/);
      expect(answer.headers.get('Retry-After')).toBe('1');
      petstore.proxy.faultFor = () => undefined;
      expect(await quantityOf(pet.id)).toBe(5);
    },
  );

  it.each(['stallAfter', 'cutAfter', 'error'] as const)(
    'answers 503 to lasting %s, saying that the outcome is unknown; the retry finds out',
    async fault => {
      const pet = await stockedPet(petstore.staff, 5);
      const request = {
        body: { petId: pet.id, quantity: 2 },
        headers: { 'Idempotency-Key': `lost-${fault}-${pet.id}` },
      };
      everyWrite(fault);
      const answer = await petstore.shop('POST', '/store/orders', request);
      expectError(answer, 503, 'try_again', /outcome is unknown.*Idempotency-Key/);
      petstore.proxy.faultFor = () => undefined;
      const wasWritten = fault !== 'error';
      expect(await quantityOf(pet.id)).toBe(wasWritten ? 3 : 5);
      const retried = await petstore.shop('POST', '/store/orders', request);
      expect([retried.status, retried.headers.get('Idempotency-Replayed')]).toEqual([201, wasWritten ? 'true' : null]);
      expect(await quantityOf(pet.id)).toBe(3);
    },
  );

  it('answers 503 to reads too', async () => {
    petstore.proxy.faultFor = () => 'throttle';
    for (const path of ['/pets', '/pets/1', '/pets?id=1,2']) {
      expectError(await petstore.anonymous('GET', path), 503, 'try_again', /busy/);
    }
  });
});

describe('a request that could not read', () => {
  it('says that nothing was written', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    petstore.proxy.faultFor = ({ operation }) => (operation === 'GetItem' ? 'cutAfter' : undefined);
    const answers = [
      await petstore.anonymous('GET', `/pets/${pet.id}`),
      await petstore.staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Kit' } }),
    ];
    for (const answer of answers) expectError(answer, 503, 'try_again', /nothing was written/);
    petstore.proxy.faultFor = () => undefined;
    expect((await petstore.anonymous('GET', `/pets/${pet.id}`)).body).toEqual({ ...pet, status: 'available' });
  });
});

describe('a function about to be cut off by its time-out', () => {
  // Half a second is between the answer and the cut: where the machine stands still just then, the cut is right.
  it('says in time that the outcome is unknown', { retry: 2 }, async () => {
    const { limits } = settingsOf('local');
    const assembly = await synthesize({
      stage: 'local',
      settings: { limits: { ...limits, createCategory: { ...limits.createCategory, timeout: 2 } } },
      bundles: sharedBundles(),
    });
    const hurried = await startPetstore({ assembly });
    hurried.proxy.faultFor = () => 'stallAfter';
    const answer = await hurried.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    await hurried.stop();
    expectError(answer, 503, 'try_again', /outcome is unknown/);
  });
});

describe('a defect of ours', () => {
  it('is a 500, also when Node gives it a code', async () => {
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

describe('a batch', () => {
  it('that is throttled is asked for again', async () => {
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

  it('asks again for the keys that DynamoDB left out, and for no other', async () => {
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
});

describe('contention', () => {
  it(`lets ${crowd} orders for ${crowd} units succeed while every third transaction conflicts`, async () => {
    const pet = await stockedPet(petstore.staff, crowd);
    let count = 0;
    petstore.proxy.faultFor = ({ operation }: Call) =>
      operation === 'TransactWriteItems' && count++ % 3 === 0 ? 'conflict' : undefined;
    const { answers, repeated } = await buyInParallel(petstore.shop, pet.id, crowd);
    // A function takes conflicts upon itself: of a crowd at once, hardly any is left to a buyer.
    expect(repeated).toBeLessThan(6);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    petstore.proxy.faultFor = () => undefined;
    expect(await quantityOf(pet.id)).toBe(0);
  });
});

import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Call } from '../support/aws-json.ts';
import type { Fault } from '../support/aws-proxy.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { newPet } from '../support/new-pet.ts';
import { type Petstore, usePetstore } from '../support/petstore.ts';

/** Each kind of fault through SDK and HTTP. The interleavings inject faults at every call of every write. */

const tableName = `petstore-${randomUUID()}`;
const petstore = usePetstore({ tableName });
/** A slow attempt without a fault is retried, often enough to succeed. */
const shortTimeout = usePetstore({ tableName, environment: { ATTEMPT_TIMEOUT_MS: '200' } });
/** The timeout of an attempt is the usual one, so a slow attempt is not aborted. */
const shortBudget = usePetstore({ tableName, environment: { RETRY_BUDGET_MS: '300' } });
afterEach(() => {
  for (const { proxy } of [petstore, shortTimeout, shortBudget]) proxy.faultFor = () => undefined;
});

/** One fault for each of the next calls of an operation, then `lasting` for all later calls. */
const inject = (
  { proxy }: Petstore,
  faults: readonly Fault[],
  lasting?: Fault,
  into = 'TransactWriteItems',
) => {
  const left = [...faults];
  proxy.faultFor = ({ operation }) => (operation === into ? (left.shift() ?? lasting) : undefined);
};

const quantityOf = async (petId: number) =>
  (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

it.each<[fault: Fault, faultyStore: Petstore]>([
  ['conflict', petstore],
  ['throttle', petstore],
  ['error', petstore],
  ['cutBefore', petstore],
  ['cutAfter', petstore],
  ['stallAfter', shortTimeout],
])(
  'one %s does not change the response of a write, which takes effect once',
  async (fault, faultyStore) => {
    const { id: petId } = await stockedPet(petstore.staff, 9);
    inject(faultyStore, [fault]);
    const { status, body } = await faultyStore.shop('POST', '/store/orders', {
      body: { petId, quantity: 4 },
    });
    expect([status, body, await quantityOf(petId)]).toMatchObject([201, { petId, quantity: 4 }, 5]);
  },
);

describe('after the last retry', () => {
  it.each<[fault: Fault, faultyStore: Petstore]>([
    ['stallAfter', shortTimeout],
    ['cutAfter', shortBudget],
  ])(
    'a write returns 503 outcome_unknown for a lasting %s; its retry with the same key returns 201',
    async (fault, faultyStore) => {
      const pet = await stockedPet(petstore.staff, 5);
      const headers = { 'Idempotency-Key': `lost-${fault}-${pet.id}` };
      const request = { body: { petId: pet.id, quantity: 2 }, headers };
      inject(faultyStore, [], fault);
      const response = await faultyStore.shop('POST', '/store/orders', request);
      const message = /may or may not have happened.*Idempotency-Key/;
      expectError(response, 503, 'outcome_unknown', message);
      expect(response.headers.get('Retry-After')).toBe('1');
      expect(await quantityOf(pet.id)).toBe(3);
      const retried = await petstore.shop('POST', '/store/orders', request);
      const replayed = retried.headers.get('Idempotent-Replayed');
      expect([retried.status, replayed, await quantityOf(pet.id)]).toEqual([201, 'true', 3]);
    },
  );

  it.each<[string, faults: readonly Fault[], lasting?: Fault]>([
    [
      'the token belongs to another transaction, and the retry is rejected',
      ['cutBefore', 'conditionFailed', 'mismatch', 'conditionFailed'],
    ],
    ['the token cannot be invalidated', ['cutBefore', 'conditionFailed'], 'throttle'],
    [
      'the invalidation of the token has no response',
      ['cutBefore', 'conditionFailed'],
      'cutBefore',
    ],
  ])('a write returns 503 outcome_unknown when %s', async (_, faults, lasting) => {
    const { id: categoryId } = await createCategory(petstore.staff);
    inject(shortBudget, faults, lasting);
    const response = await shortBudget.staff('POST', '/pets', {
      body: { ...newPet, categoryId },
    });
    expectError(response, 503, 'outcome_unknown');
  });

  it('a request whose read has no response returns 503 try_again, because nothing was written', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    inject(shortBudget, [], 'cutAfter', 'GetItem');
    const renamed = await shortBudget.staff('PATCH', `/pets/${pet.id}`, { body: { name: 'Kit' } });
    for (const response of [renamed, await shortBudget.anonymous('GET', `/pets/${pet.id}`)])
      expectError(response, 503, 'try_again', /nothing was written/);
    expect((await petstore.anonymous('GET', `/pets/${pet.id}`)).body).toEqual(pet);
  });
});

/** AWS does not document that each failed condition is reported with its item. */
const withoutItems: Fault = async (_, execute) => {
  const result = await execute();
  for (const reason of result.body.CancellationReasons) delete reason.Item;
  return result;
};
it('a retry of a creation reads the record of its key when no rejection has it', async () => {
  const request = { body: { name: 'Cats' }, headers: { 'Idempotency-Key': 'never reported' } };
  const { body } = await petstore.staff('POST', '/pets/categories', request);
  inject(petstore, [], withoutItems);
  expect(await petstore.staff('POST', '/pets/categories', request)).toMatchObject({
    status: 201,
    body,
  });
});

/** DynamoDB may leave items unprocessed (API reference, "BatchGetItem"). */
const leaveUnprocessed =
  (ids: readonly number[]): Fault =>
  async (_, execute) => {
    const { status, body } = await execute();
    const Keys = ids.map(id => ({ pk: { S: `PET#${id}` }, sk: { S: 'PET' } }));
    const processed = body.Responses[tableName].filter(
      ({ id }: { id: { N: string } }) => !ids.includes(Number(id.N)),
    );
    const Responses = { [tableName]: processed };
    return { status, body: { ...body, Responses, UnprocessedKeys: { [tableName]: { Keys } } } };
  };

it.each<[string, faultOf: (ids: number[]) => Fault, requested: number[]]>([
  ['all keys after throttling', () => 'throttle', [2, 2]],
  ['only the key that DynamoDB did not process', ([, last]) => leaveUnprocessed([last!]), [2, 1]],
  ['all keys when DynamoDB processed none', leaveUnprocessed, [2, 2]],
])('a BatchGetItem call is retried with %s', async (_, faultOf, expected) => {
  const { id: categoryId } = await createCategory(petstore.staff);
  const pets = await Promise.all([1, 2].map(() => createPet(petstore.staff, categoryId)));
  const ids = pets.map(({ id }) => id);
  const requested: number[] = [];
  petstore.proxy.faultFor = ({ operation, body }: Call) => {
    if (operation !== 'BatchGetItem') return undefined;
    requested.push(body.RequestItems[tableName].Keys.length);
    return requested.length === 1 ? faultOf(ids) : undefined;
  };
  const { body } = await petstore.anonymous('GET', `/pets?id=${ids}`);
  expect([body.length, requested]).toEqual([2, expected]);
});

import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { anyCommand, type Command, expectedOf, Ids, modelRuns, remember, requestOf } from '../reference/commands.ts';
import { contentsOf, expectInvariants } from '../reference/invariants.ts';
import { ReferenceStore } from '../reference/reference-store.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { type ApiResponse, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

const perform = (command: Command, ids: Ids, headers: Record<string, string> = {}): Promise<ApiResponse> => {
  const { actor, method, path, body } = requestOf(command, ids);
  return petstore[actor](method, path, { headers, ...(body && { body }) });
};

/** Initial commands, so that short sequences reach interesting states. */
const beginning: Command[] = [
  { do: 'createCategory', name: 'Cats' },
  { do: 'createPet', category: 0 },
  { do: 'createPet', category: 0 },
  { do: 'setInventory', pet: 0, quantity: 4 },
];

describe('the store', () => {
  it('returns what the reference model returns for any sequence of commands, and ends in the same state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommand, { minLength: 10, maxLength: 50, size: 'max' }), async commands => {
        const ids = new Ids();
        const store = new ReferenceStore();
        const done: object[] = [];
        for (const command of [...beginning, ...commands]) {
          const response = await perform(command, ids);
          const expected = expectedOf(command, ids, store, response);
          const { status, body } = response;
          done.push({ ...command, status });
          const actual = status < 400 ? { status, ...(status !== 204 && { body }) } : { status, code: body.code };
          expect(actual, JSON.stringify(done)).toEqual(expected);
          remember(command, ids, response);
        }
        for (const id of store.pets.keys()) {
          expect((await petstore.staff('GET', `/store/inventory/${id}`)).body).toEqual(store.inventoryView(id));
        }
        for (const id of store.orders.keys()) {
          expect((await petstore.staff('GET', `/store/orders/${id}`)).body).toEqual(store.orderView(id));
        }
      }),
      { numRuns: modelRuns(8) },
    );
    expectInvariants(await contentsOf(inject('endpoint'), petstore.tableName));
  });

  it('violates no invariant when the commands run in parallel', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyCommand, { minLength: 2, maxLength: 12 }), { minLength: 2, maxLength: 6 }),
        async rounds => {
          const ids = new Ids();
          for (const command of beginning) remember(command, ids, await perform(command, ids));
          for (const round of rounds) {
            const responses = await Promise.all(round.map(command => perform(command, ids)));
            for (const [index, response] of responses.entries()) {
              expect(response.status, JSON.stringify(response.body)).toBeLessThan(500);
              remember(round[index]!, ids, response);
            }
          }
          expectInvariants(await contentsOf(inject('endpoint'), petstore.tableName));
        },
      ),
      { numRuns: modelRuns(5) },
    );
  });

  it('loses no unit and creates one order per idempotency key under injected faults', async () => {
    const faults: Fault[] = ['conflict', 'throttle', 'error', 'cutBefore', 'cutAfter', { delay: 20 }];
    const units = 40;
    const orderCommand = fc.record({
      pet: fc.nat(1),
      quantity: fc.integer({ min: 1, max: 3 }),
      ending: fc.constantFrom('keep', 'cancel', 'complete'),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(orderCommand, { minLength: 8, maxLength: 16 }),
        fc.infiniteStream(fc.nat(9)),
        async (commands, randomNumbers) => {
          run += 1;
          const ids = new Ids();
          for (const command of beginning) remember(command, ids, await perform(command, ids));
          for (const id of ids.pets)
            await petstore.staff('PUT', `/store/inventory/${id}`, { body: { quantity: units } });
          petstore.proxy.faultFor = () => faults[randomNumbers.next().value];

          const retry = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
            for (let attempts = 0; attempts < 20; attempts++) {
              const response = await send();
              if (response.status !== 503) return response;
            }
            throw new Error('never got through');
          };
          const outcomes = await Promise.all(
            commands.map(async ({ pet, quantity, ending }, index) => {
              const body = { petId: ids.pets[pet], quantity };
              const headers = { 'Idempotency-Key': `run-${run}-${index}` };
              const placed = await retry(() => petstore.shop('POST', '/store/orders', { body, headers }));
              if (placed.status !== 201) return undefined;
              const path = `/store/orders/${placed.body.id}`;
              if (ending === 'cancel') await retry(() => petstore.shop('DELETE', path));
              if (ending === 'complete') await retry(() => petstore.staff('PATCH', path, { body: { complete: true } }));
              return { id: placed.body.id, ending };
            }),
          );
          petstore.proxy.faultFor = () => undefined;

          const contents = await contentsOf(inject('endpoint'), petstore.tableName);
          expectInvariants(contents);
          const orders = contents.orders.filter(({ petId }) => ids.pets.includes(petId));
          const expected = outcomes
            .filter(outcome => outcome && outcome.ending !== 'cancel')
            .map(outcome => outcome!.id);
          expect(orders.map(({ id }) => id).sort()).toEqual(expected.sort());
          for (const id of ids.pets) {
            const { availableQuantity } = contents.pets.find(pet => pet.id === id)!;
            const held = orders.filter(({ petId }) => petId === id).reduce((sum, { quantity }) => sum + quantity, 0);
            expect(availableQuantity + held).toBe(units);
          }
        },
      ),
      { numRuns: modelRuns(3) },
    );
  });
});

import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';

const petstore = usePetstore();
let sandbox: Sandbox | undefined;
afterEach(async () => {
  petstore.proxy.faultFor = () => undefined;
  await sandbox?.end();
  sandbox = undefined;
});

const strike = (faultOfWrite: () => Fault) => {
  petstore.proxy.faultFor = ({ operation }) => (operation === 'TransactWriteItems' ? faultOfWrite() : undefined);
};

const [setInventory] = Object.keys(inject('template').Resources).filter(id => /^setInventoryFunction/.test(id));

/**
 * Sets the stock by a function of its own, which is frozen once it has answered.
 * @param timeLeft what it has left of its time, in milliseconds; half a second of it is for the answer
 */
const setStock = (petId: number, quantity: number, timeLeft: number): Sandbox => {
  const claims = { sub: 'staff', scope: 'petstore/inventory', token_use: 'access' };
  const path = `/store/inventory/${petId}`;
  sandbox = startSandbox({
    module: join(inject('bundles').outdir, 'setInventory/index.mjs'),
    environment: {
      TABLE_NAME: petstore.tableName,
      DYNAMODB_ENDPOINT: petstore.proxy.url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: setInventory!,
      AWS_SECRET_ACCESS_KEY: 'local',
    },
    event: {
      resource: '/store/inventory/{petId}',
      path,
      httpMethod: 'PUT',
      pathParameters: { petId: String(petId) },
      headers: null,
      multiValueHeaders: null,
      multiValueQueryStringParameters: null,
      body: JSON.stringify({ quantity }),
      isBase64Encoded: false,
      requestContext: { requestId: 'r', domainName: 'api.example.com', path, authorizer: { claims } },
    },
    timeLeft,
  });
  return sandbox;
};

const errorOf = async ({ answer }: Sandbox) => {
  const { statusCode, body } = await answer;
  expect(statusCode).toBe(503);
  return JSON.parse(body).message as string;
};

/** What the caller does after a 503, elsewhere, and then goods arrive. */
const repeatAndDeliver = async (petId: number, quantity: number) => {
  for (const counted of [quantity, 10]) {
    const { status } = await petstore.staff('PUT', `/store/inventory/${petId}`, { body: { quantity: counted } });
    expect(status).toBe(200);
  }
};

const stockOf = async (petId: number) => (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

describe.each([
  ['to 0', 0],
  ['to 5', 5],
])('a stock-take %s', (_, quantity) => {
  it('writes nothing when the process goes on that was frozen after its 503', async () => {
    const pet = await stockedPet(petstore.staff, 7);
    strike(() => 'conflict');
    const frozen = setStock(pet.id, quantity, 1_000);
    await errorOf(frozen);
    petstore.proxy.faultFor = () => undefined;
    await repeatAndDeliver(pet.id, quantity);
    const calls = petstore.proxy.answers.length;
    await frozen.end();
    expect(await stockOf(pet.id)).toBe(10);
    expect(petstore.proxy.answers.slice(calls).filter(({ call }) => call.function === setInventory)).toEqual([]);
  });

  it('writes nothing when the process was frozen before it could answer, past its deadline', async () => {
    const pet = await stockedPet(petstore.staff, 7);
    const halfway = new Promise<void>(resolve => {
      let tries = 0;
      strike(() => {
        tries += 1;
        if (tries === 2) resolve();
        return 'conflict';
      });
    });
    const timeLeft = 1_500;
    const frozen = setStock(pet.id, quantity, timeLeft);
    await Promise.race([halfway, frozen.answer]);
    frozen.freeze();
    await new Promise(resolve => setTimeout(resolve, timeLeft));
    petstore.proxy.faultFor = () => undefined;
    await repeatAndDeliver(pet.id, quantity);
    const calls = petstore.proxy.answers.length;
    frozen.thaw();
    await errorOf(frozen);
    await frozen.end();
    expect(await stockOf(pet.id)).toBe(10);
    expect(petstore.proxy.answers.slice(calls).filter(({ call }) => call.function === setInventory)).toEqual([]);
  });
});

describe('a function that answers 503', () => {
  it('has cut the connection of the call that it no longer waits for', async () => {
    const pet = await stockedPet(petstore.staff, 7);
    strike(() => 'stallAfter');
    expect(await errorOf(setStock(pet.id, 5, 2_500))).toMatch(/outcome is unknown/);
    await expect.poll(() => petstore.proxy.stalled.size).toBe(0);
  });
});

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

const injectFault = (faultOfWrite: () => Fault) => {
  petstore.proxy.faultFor = ({ operation }) => (operation === 'TransactWriteItems' ? faultOfWrite() : undefined);
};

const [setInventory] = Object.keys(inject('template').Resources).filter(id => /^setInventoryFunction/.test(id));

/**
 * Sets the stock with a separate function, which is frozen after its response.
 * @param timeLeft until the function times out, in milliseconds; half a second of it is reserved for the response
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

const messageOf503 = async ({ result }: Sandbox) => {
  const { statusCode, body } = await result;
  expect(statusCode).toBe(503);
  return JSON.parse(body).message as string;
};

/** Retries the request with another function, and then sets the stock to 10. */
const retryAndRestock = async (petId: number, quantity: number) => {
  for (const counted of [quantity, 10]) {
    const { status } = await petstore.staff('PUT', `/store/inventory/${petId}`, { body: { quantity: counted } });
    expect(status).toBe(200);
  }
};

const stockOf = async (petId: number) => (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

describe.each([
  ['to 0', 0],
  ['to 5', 5],
])('setInventory %s', (_, quantity) => {
  it('writes nothing when its process is thawed after the 503', async () => {
    const pet = await stockedPet(petstore.staff, 7);
    injectFault(() => 'conflict');
    const frozen = setStock(pet.id, quantity, 1_000);
    await messageOf503(frozen);
    petstore.proxy.faultFor = () => undefined;
    await retryAndRestock(pet.id, quantity);
    const calls = petstore.proxy.responses.length;
    await frozen.end();
    expect(await stockOf(pet.id)).toBe(10);
    expect(petstore.proxy.responses.slice(calls).filter(({ call }) => call.function === setInventory)).toEqual([]);
  });

  it('writes nothing when its process was frozen before its response, beyond the deadline', async () => {
    const pet = await stockedPet(petstore.staff, 7);
    const halfway = new Promise<void>(resolve => {
      let attempts = 0;
      injectFault(() => {
        attempts += 1;
        if (attempts === 2) resolve();
        return 'conflict';
      });
    });
    const timeLeft = 1_500;
    const frozen = setStock(pet.id, quantity, timeLeft);
    await Promise.race([halfway, frozen.result]);
    frozen.freeze();
    await new Promise(resolve => setTimeout(resolve, timeLeft));
    petstore.proxy.faultFor = () => undefined;
    await retryAndRestock(pet.id, quantity);
    const calls = petstore.proxy.responses.length;
    frozen.thaw();
    await messageOf503(frozen);
    await frozen.end();
    expect(await stockOf(pet.id)).toBe(10);
    expect(petstore.proxy.responses.slice(calls).filter(({ call }) => call.function === setInventory)).toEqual([]);
  });
});

describe('a function that returns 503', () => {
  it('closes the connection of its unfinished call', async () => {
    const pet = await stockedPet(petstore.staff, 7);
    injectFault(() => 'stallAfter');
    expect(await messageOf503(setStock(pet.id, 5, 2_500))).toMatch(/may or may not have happened/);
    await expect.poll(() => petstore.proxy.stalled.size).toBe(0);
  });
});

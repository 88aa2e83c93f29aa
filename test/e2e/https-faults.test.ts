import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { usePetstore } from '../support/petstore.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';
import { startTlsProxy, type TlsFault, type TlsProxy } from '../support/tls-proxy.ts';

/** Lambda connects to DynamoDB over https. These tests inject the faults of the http tests over TLS. */
describe.skipIf(!hasCommand('openssl', 'version'))('over https', () => {
  const petstore = usePetstore();
  const [setInventory] = Object.keys(inject('template').Resources).filter(id => /^setInventoryFunction/.test(id));
  let tls: TlsProxy;
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    tls = await startTlsProxy(petstore.proxy.url);
  });
  afterEach(async () => {
    Object.assign(tls, { faultFor: () => undefined, handshakeDelay: () => 0, counts: { connections: 0, requests: 0 } });
    await sandbox?.end();
    sandbox = undefined;
  });
  afterAll(() => tls.stop());

  /** A short attempt timeout; a slow attempt without a fault is retried, too, at most eight times. */
  const shortTimeout = { ATTEMPT_TIMEOUT_MS: '300', RETRY_BUDGET_MS: '20000' };
  const longTimeout = { ATTEMPT_TIMEOUT_MS: '10000' };

  /**
   * Sets a stock of 7 to 0 with a separate function. It makes two calls: a read and a transaction.
   * @param timeLeft until the function times out, in milliseconds
   */
  const sellOut = async (budgets: Record<string, string>, timeLeft = 25_000) => {
    const { id } = await stockedPet(petstore.staff, 7);
    const path = `/store/inventory/${id}`;
    const claims = { sub: 'staff', scope: 'petstore/inventory', token_use: 'access' };
    sandbox = startSandbox({
      module: join(inject('bundles').outdir, 'setInventory/index.mjs'),
      environment: {
        ...{ TABLE_NAME: petstore.tableName, DYNAMODB_ENDPOINT: tls.url, NODE_EXTRA_CA_CERTS: tls.certificate },
        ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: setInventory!, AWS_SECRET_ACCESS_KEY: 'local' },
        ...budgets,
      },
      event: {
        ...{ resource: '/store/inventory/{petId}', path, httpMethod: 'PUT', pathParameters: { petId: String(id) } },
        ...{ headers: null, multiValueHeaders: null, multiValueQueryStringParameters: null },
        body: JSON.stringify({ quantity: 0 }),
        requestContext: { requestId: 'r', domainName: 'api.example.com', path, authorizer: { claims } },
      },
      timeLeft,
    });
    const { statusCode, body } = await sandbox.result;
    const stock = (await petstore.staff('GET', path)).body.quantity;
    return { statusCode, message: JSON.parse(body).message as string | undefined, stock };
  };

  /** Injects a fault into the requests with these numbers, counted over all connections. */
  const injectFault = (fault: TlsFault, ...numbers: number[]) => {
    tls.faultFor = () => (numbers.includes(tls.counts.requests) ? fault : undefined);
  };

  it('the calls of a request share a connection', async () => {
    expect(await sellOut(longTimeout)).toMatchObject({ statusCode: 200, stock: 0 });
    expect(tls.counts).toEqual({ connections: 1, requests: 2 });
  });

  it.each([
    ['the read', 1],
    ['the transaction', 2],
  ])('%s is retried after any fault', async (_, number) => {
    for (const fault of ['cut', 'cutInBody', 'stall', 'stallInBody'] as const) {
      injectFault(fault, number);
      expect(await sellOut(shortTimeout), fault).toMatchObject({ statusCode: 200, stock: 0 });
      expect(tls.counts.requests, `${fault}: the call was retried`).toBeGreaterThan(2);
      await sandbox!.end();
      tls.counts.connections = tls.counts.requests = 0;
    }
  });

  it('a connection that was closed while idle is replaced', async () => {
    tls.faultFor = nth => (nth > 1 ? 'cut' : undefined);
    expect(await sellOut(longTimeout)).toMatchObject({ statusCode: 200, stock: 0 });
    expect(tls.counts.connections).toBeGreaterThan(1);
  });

  it('a slow handshake is aborted, and another one succeeds', async () => {
    tls.handshakeDelay = () => (tls.counts.connections === 1 ? 2_000 : 0);
    expect(await sellOut(shortTimeout)).toMatchObject({ statusCode: 200, stock: 0 });
    expect(tls.counts.connections).toBeGreaterThan(1);
  });

  it('slow handshakes result in a 503 before the timeout, and nothing is sent after it', async () => {
    tls.handshakeDelay = () => 700;
    expect(await sellOut(shortTimeout, 1_000)).toMatchObject({ statusCode: 503, stock: 7 });
    const { requests } = tls.counts;
    await sandbox!.end();
    await new Promise(resolve => setTimeout(resolve, 800));
    expect(tls.counts.requests).toBe(requests);
  });

  it('a transaction without a response results in a 503 with an unknown outcome', async () => {
    tls.faultFor = () => (tls.counts.requests > 1 ? 'stallInBody' : undefined);
    const { statusCode, message } = await sellOut({}, 2_500);
    expect([statusCode, message]).toEqual([503, expect.stringMatching(/may or may not have happened/)]);
  });
});

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { usePetstore } from '../support/petstore.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';
import { startTlsProxy, type TlsFault, type TlsProxy } from '../support/tls-proxy.ts';

/** Lambda speaks https to DynamoDB: what the other suites of faults do over http is done here once more over TLS. */
describe.skipIf(!hasCommand('openssl', 'version'))('over https', () => {
  const petstore = usePetstore();
  const [setInventory] = Object.keys(inject('template').Resources).filter(id => /^setInventoryFunction/.test(id));
  let tls: TlsProxy;
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    tls = await startTlsProxy(petstore.proxy.url);
  });
  afterEach(async () => {
    Object.assign(tls, { faultFor: () => undefined, handshakeDelay: () => 0, seen: { connections: 0, requests: 0 } });
    await sandbox?.end();
    sandbox = undefined;
  });
  afterAll(() => tls.stop());

  /** Attempts are given up soon; an undisturbed one that is slow is made again, eight times at most. */
  const hasty = { ATTEMPT_TIMEOUT_MS: '300', RETRY_BUDGET_MS: '20000' };
  const patient = { ATTEMPT_TIMEOUT_MS: '10000' };

  /** Sets a stock of 7 to 0, which takes a read and a transaction, by a function of its own with so many milliseconds left. */
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
    const { statusCode, body } = await sandbox.answer;
    const stock = (await petstore.staff('GET', path)).body.quantity;
    return { statusCode, message: JSON.parse(body).message as string | undefined, stock };
  };

  /** Strikes the requests of these numbers, counted over all connections. */
  const strike = (fault: TlsFault, ...numbers: number[]) => {
    tls.faultFor = () => (numbers.includes(tls.counts.requests) ? fault : undefined);
  };

  it('two calls of a request share a connection', async () => {
    expect(await sellOut(patient)).toMatchObject({ statusCode: 200, stock: 0 });
    expect(tls.counts).toEqual({ connections: 1, requests: 2 });
  });

  it.each([
    ['the read', 1],
    ['the transaction', 2],
  ])('a fault of any kind on the way of %s is absorbed', async (_, number) => {
    for (const fault of ['cut', 'cutInBody', 'stall', 'stallInBody'] as const) {
      strike(fault, number);
      expect(await sellOut(hasty), fault).toMatchObject({ statusCode: 200, stock: 0 });
      expect(tls.counts.requests, `${fault}: it struck, and the call was made again`).toBeGreaterThan(2);
      await sandbox!.end();
      tls.counts.connections = tls.counts.requests = 0;
    }
  });

  it('a connection that died while it was idle is replaced', async () => {
    tls.faultFor = nth => (nth > 1 ? 'cut' : undefined);
    expect(await sellOut(patient)).toMatchObject({ statusCode: 200, stock: 0 });
    expect(tls.counts.connections).toBeGreaterThan(1);
  });

  it('a slow handshake is given up for another', async () => {
    tls.handshakeDelay = () => (tls.counts.connections === 1 ? 2_000 : 0);
    expect(await sellOut(hasty)).toMatchObject({ statusCode: 200, stock: 0 });
    expect(tls.counts.connections).toBeGreaterThan(1);
  });

  it('handshakes that are always slow end in a 503 in time, and nothing is sent after it', async () => {
    tls.handshakeDelay = () => 700;
    expect(await sellOut(hasty, 1_000)).toMatchObject({ statusCode: 503, stock: 7 });
    const { requests } = tls.counts;
    await sandbox!.end();
    await new Promise(resolve => setTimeout(resolve, 800));
    expect(tls.counts.requests).toBe(requests);
  });

  it('a transaction that is never answered ends in a 503 that says so', async () => {
    tls.faultFor = () => (tls.counts.requests > 1 ? 'stallInBody' : undefined);
    const { statusCode, message } = await sellOut({}, 2_500);
    expect([statusCode, message]).toEqual([503, expect.stringMatching(/outcome is unknown/)]);
  });
});

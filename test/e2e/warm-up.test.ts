import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Call } from '../support/aws-json.ts';
import type { Fault } from '../support/aws-proxy.ts';
import { eventOf } from '../support/event-of.ts';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { usePetstore } from '../support/petstore.ts';
import { functionId, type Invocation, invokeBundle } from '../support/sandbox.ts';
import { startTlsProxy, type TlsProxy } from '../support/tls-proxy.ts';

/** As on Lambda, over https. Most functions make a first call during INIT (lib/model/table/warm-up.ts). */

const petstore = usePetstore();

const isOfFunction = (call: Call) => call.function === functionId('placeOrder');
const isWarmUp = ({ body }: Call) => body.Key?.sk.S === 'WARM_UP';
const normal = { stalls: () => false, handshakeDelay: () => 0 };

describe.skipIf(!hasCommand('openssl', 'version'))('a function over https', () => {
  let tls: TlsProxy;
  beforeAll(async () => {
    tls = await startTlsProxy(petstore.proxy.url);
  });
  beforeEach(() => {
    Object.assign(tls, normal, { counts: { connections: 0, requests: 0 } });
    petstore.proxy.faultFor = () => undefined;
  });
  afterAll(() => tls.stop());

  /** One of seven units, in a new process. The first call of placeOrder itself is its transaction. */
  const start = async (
    environment: Record<string, string> = {},
    more: Partial<Invocation> = {},
  ) => {
    const { id: petId } = await stockedPet(petstore.staff, 7);
    const sandbox = invokeBundle('placeOrder', {
      environment: {
        TABLE_NAME: petstore.tableName,
        DYNAMODB_ENDPOINT: tls.url,
        NODE_EXTRA_CA_CERTS: tls.certificate,
        WARM_UP: 'PET#0',
        // Longer than in production, because this machine may pause.
        WARM_UP_TIMEOUT_MS: '10000',
        ATTEMPT_TIMEOUT_MS: '10000',
        RETRY_BUDGET_MS: '20000',
        ...environment,
      },
      event: eventOf('placeOrder', { petId }),
      timeLeft: 25_000,
      ...more,
    });
    const outcome = async () => {
      const { statusCode } = await sandbox.result;
      return [statusCode, (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity];
    };
    return { sandbox, outcome };
  };

  it('has one connection for its call in INIT, which no request counts, and the next one', async () => {
    const first = petstore.proxy.responses.length;
    const { sandbox, outcome } = await start();
    expect(await outcome()).toEqual([201, 6]);
    expect(tls.counts).toEqual({ connections: 1, requests: 2 });
    const [warmUp, order] = petstore.proxy.responses
      .slice(first)
      .filter(({ call }) => isOfFunction(call));
    expect([warmUp?.call.body.ConsistentRead, warmUp?.body]).toEqual([undefined, {}]);
    expect(order?.call.operation).toBe('TransactWriteItems');
    await expect.poll(sandbox.log).toMatch(/dynamoDbCalls: 1,\s+readUnits: 0,/);
  });

  // The production timeout aborts a call that never ends: on a slow machine, even before it connects.
  const endless = [1, 2];
  it.each<
    [
      name: string,
      connections: readonly number[],
      fault: Fault | undefined,
      ofTls?: Partial<TlsProxy>,
    ]
  >([
    ['is throttled', [1], 'throttle'],
    ['is reset before its response', [2], 'cutBefore'],
    ['has no response', endless, 'stallAfter'],
    [
      'is cut off in the body',
      [2],
      undefined,
      { stalls: target => /GetItem$/.test(target) && 'cut' },
    ],
    ['stops in the body', endless, undefined, { stalls: target => /GetItem$/.test(target) }],
    [
      'has no handshake',
      endless,
      undefined,
      { handshakeDelay: () => (tls.counts.connections === 1 ? 60_000 : 0) },
    ],
  ])('succeeds when its call in INIT %s', async (_, connections, fault, ofTls) => {
    petstore.proxy.faultFor = call => (isWarmUp(call) ? fault : undefined);
    Object.assign(tls, ofTls);
    const { outcome } = await start(connections === endless ? { WARM_UP_TIMEOUT_MS: '' } : {});
    expect(await outcome()).toEqual([201, 6]);
    expect(connections).toContain(tls.counts.connections);
  });

  it.each(['end', 'resetAndDestroy'] as const)(
    'writes once when its connection dies before INVOKE: %s',
    async how => {
      const { sandbox, outcome } = await start({}, { freezesAfterInit: true });
      await sandbox.initialized;
      tls.drop(how);
      const timer = setInterval(sandbox.thaw, 20);
      expect(await outcome()).toEqual([201, 6]);
      clearInterval(timer);
      expect(tls.counts.connections).toBe(2);
    },
  );

  const lost: Fault[] = ['cutBefore', 'cutAfter', 'stallAfter'];
  it.each(lost)(
    'writes once, with one token, when its connection dies at the first write: %s',
    async fault => {
      const tokens: string[] = [];
      petstore.proxy.faultFor = call => {
        if (isWarmUp(call) || !isOfFunction(call)) return undefined;
        tokens.push(call.body.ClientRequestToken);
        return tokens.length === 1 ? fault : undefined;
      };
      const { outcome } = await start({
        ATTEMPT_TIMEOUT_MS: fault === 'stallAfter' ? '500' : '10000',
      });
      expect(await outcome()).toEqual([201, 6]);
      expect([tokens.length, new Set(tokens).size]).toEqual([2, 1]);
    },
  );

  it('returns 503 after slow handshakes, before its timeout, and sends nothing after it', async () => {
    tls.handshakeDelay = () => 700;
    const { sandbox, outcome } = await start(
      { WARM_UP: '', ATTEMPT_TIMEOUT_MS: '300' },
      { timeLeft: 1_000 },
    );
    expect(await outcome()).toEqual([503, 7]);
    const { requests } = tls.counts;
    await sandbox.end();
    await expect.poll(tls.isIdle).toBe(true);
    expect(tls.counts.requests).toBe(requests);
  });
});

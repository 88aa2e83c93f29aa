import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { whenFinal } from '../../cdk/commands/shared/aws-state.ts';
import { createRateLimit } from '../../cdk/commands/shared/rate-limit.ts';
import { limits } from '../../cdk/config/limits.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import type { ErrorName } from '../../lib/errors.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { startAwsProxy } from '../support/aws-proxy.ts';
import { writeRows } from '../support/catalog.ts';
import { stockedPet } from '../support/fixtures.ts';
import { newPet } from '../support/new-pet.ts';
import { usePetstore } from '../support/petstore.ts';
import { runCommand } from '../support/run-command.ts';

/** Of a command. Waits are in milliseconds, and take no time because their timer is mocked. */
const rates: number[] = [];
const waits: number[] = [];
vi.mock('node:timers/promises', () => ({
  setTimeout: async (milliseconds: number) => void waits.push(milliseconds),
}));
vi.mock('../../cdk/commands/shared/rate-limit.ts', async original => {
  const actual = await original<typeof import('../../cdk/commands/shared/rate-limit.ts')>();
  return {
    createRateLimit: (rate: number) => actual.createRateLimit(rates[rates.push(rate) - 1]!),
  };
});

vi.stubEnv('TABLE_NAME', 'unused');
vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:1');
const { retried } = await import('../../cdk/commands/shared/owner-orders.ts');
const { ApiError } = await import('../../lib/errors.ts');

const petstore = usePetstore();
const keys = [1, 2, 3].map(index => ({ pk: `OTHER#${index}`, sk: 'OTHER' }));
const allKeys = keys.map(({ pk }) => pk).sort();
const proxy = await startAwsProxy(inject('endpoint'));
const client = connect(proxy.url);
/** Until the end of the test. */
const write = async (items: readonly { pk: string; sk: string }[]) => {
  const { tableName: TableName } = petstore;
  for (const item of items)
    await client.send(new PutItemCommand({ TableName, Item: marshall(item) }));
  onTestFinished(async () => {
    for (const { pk, sk } of items)
      await client.send(new DeleteItemCommand({ TableName, Key: marshall({ pk, sk }) }));
  });
};

beforeAll(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  return () => {
    vi.restoreAllMocks();
    client.destroy();
    return proxy.stop();
  };
});
afterEach(() => {
  proxy.responses.length = rates.length = waits.length = 0;
});

it('the reader of a table makes consistent reads, scans 250 items in a call, and waits for the units of each call', async () => {
  await write(keys);
  proxy.responses.length = 0;
  const found: string[] = [];
  const reader = tableReader(client, petstore.tableName, 10);
  await reader.eachItem(({ pk }) => found.push(pk));
  const scanned = reader.units();
  expect(scanned).toBeGreaterThan(0);
  const read = await reader.read([...keys, { pk: 'NONE', sk: 'OTHER' }]);
  expect([found.sort(), [...read.keys()].sort()]).toEqual([allKeys, allKeys]);
  const calls = proxy.responses.map(({ call: { operation, body } }) => [
    operation,
    body.ConsistentRead,
    body.Limit,
  ]);
  expect(calls).toEqual([['Scan', true, 250], ...Array(4).fill(['GetItem', true, undefined])]);
  // No time passes in this test. A key costs one unit.
  const times = [0, 0, 1, 2, 3].map(units => (scanned + units) * 100);
  expect([reader.units(), waits]).toEqual([scanned + 4, times]);
});

it.each([
  [10, [0, 0, 0, 1000, 3000], [0, 0, 3000, 2000, 500], [0, 30, 0, 5, 0]],
  [4, [0, 0, 100, 1000, 60_000, 60_000], [0, 250, 400, 0, 0, 250]],
  // Calls are due every 10 ms. The second is 5 ms late, the third on time, and the fourth 120 ms late.
  [100, [0, 15, 20, 150, 150], [0, 0, 0, 0, 10]],
  [Number.POSITIVE_INFINITY, [0, 0], [0, 0], [1000, 1000]],
])(
  'at the rate %d, work at %j waits %j ms: it saves up no time but that of late timers',
  async (...row) => {
    const [rate, times, expected, units = []] = row;
    const { wait } = createRateLimit(rate);
    const now = vi.spyOn(Date, 'now');
    for (const [index, time] of times.entries()) {
      vi.mocked(performance.now).mockReturnValue(time);
      now.mockReturnValue(-time); // the wall clock steps back
      await wait(units[index]);
    }
    now.mockRestore();
    expect(waits).toEqual(expected);
  },
);

/** The first attempts fail. */
const change = (name: ErrorName, failures: number) => {
  const attempt = vi.fn<() => Promise<void>>().mockResolvedValue();
  for (let failure = 0; failure < failures; failure++)
    attempt.mockRejectedValueOnce(new ApiError(name));
  return attempt;
};

const turn = (milliseconds: number) => async () => void waits.push(milliseconds);

it('a change of an order is retried 20 times, each second, is done when it is gone, and fails otherwise', async () => {
  for (const name of ['try_again', 'outcome_unknown'] as const) {
    expect(await retried(change(name, 19), turn(250))).toBe(true);
    expect(waits).toEqual([250, ...Array(19).fill(1_000)]);
    await expect(retried(change(name, 20), turn(0))).rejects.toMatchObject({ name });
    waits.length = 0;
  }
  expect(await retried(change('order_not_found', 1), turn(0))).toBe(false);
  await expect(retried(change('order_complete', 1), turn(0))).rejects.toMatchObject({
    name: 'order_complete',
  });
  expect(waits).toEqual([0, 0]);
});

it.each([
  ['https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com', 5_000],
  ['http://127.0.0.1:1', 20],
])(
  'with the endpoint %s, a state that is final after more than 5 seconds is read every %d ms',
  async (url, wait) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', url);
    onTestFinished(() => void vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined));
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const statuses = ['CREATING', 'CREATING', 'UPDATING', undefined];
    const read = async () => [statuses.length, statuses.shift()] as const;
    expect([await whenFinal('The table', 5, read), waits]).toEqual([1, [wait, wait, wait]]);
    expect(printed.mock.calls).toEqual([['… The table is CREATING'], ['… The table is UPDATING']]);
    printed.mockRestore();
  },
);

const [slowest] = [
  limits.listPets.rate,
  limits.listInventory.rate,
  limits.listCategories.rate,
].sort((a, b) => a - b);
const ofOrders = [limits.listOrders.rate, limits.listPets.rate];
const stage = '--url URL --client staff --secret local';
it.each<[line: string, rates: number[], lastWaits: number[]]>([
  // Of 120 events, the command publishes 100 first, and the others after half a second.
  ['events/republish --local URL --rate 200 --yes', [200, 200], [500]],
  ['import/index --local URL FILE --rate 4', [Number.POSITIVE_INFINITY, 4], [0, 250, 500]],
  ['export --local URL FILE --rate 4', [4], [0, 250, 500, 750, 1_000]],
  // The command uses half of the throttle, and leaves the other half to callers.
  [`export ${stage} FILE`, [slowest! / 2], []],
  [`import/index ${stage} FILE --create-duplicates`, [slowest! / 2, limits.createPet.rate], []],
  [`import/index ${stage} FILE --create-duplicates --rate 20`, [slowest! / 2, 20], [0, 50, 100]],
  [`orders ${stage}`, ofOrders, []],
  [`orders ${stage} --cancel-older-than 30d --yes`, [...ofOrders, limits.cancelOrder.rate], []],
  // `--rate 4` permits four orders a second, and ten times as many read units.
  [
    'client-data erase --local URL --table TABLE --client shop --rate 4 --yes',
    [40, 4],
    [0, 250, 500, 750],
  ],
  ['export --local URL FILE', [Number.POSITIVE_INFINITY], []],
  ['audit/index --local URL --table TABLE', [Number.POSITIVE_INFINITY], []],
])('npm run %s works at the rates %j', async (line, expected, lastWaits) => {
  if (line.includes('republish')) {
    const pet = { ...newPet, categoryId: 1, status: 'sold' } as const;
    const itemOf = (_: unknown, id: number) => ({
      ...storedPet(newPetItem(id + 1, pet)),
      writeCount: 1,
    });
    await write(Array.from({ length: 60 }, itemOf));
  } else if (line.includes('erase')) {
    const body = { petId: (await stockedPet(petstore.staff, 9)).id };
    // The record of one of them counts as an order.
    const headers = { 'Idempotency-Key': 'one' };
    for (const request of [{ body }, { body }, { body, headers }])
      await petstore.shop('POST', '/store/orders', request);
  }
  const FILE = await writeRows(['One', 'Two', 'Three'].map(name => ({ name, category: 'Rates' })));
  const words: Record<string, string> = { FILE, URL: petstore.url, TABLE: petstore.tableName };
  const [name, ...args] = line.split(' ').map(word => words[word] ?? word);
  for (const list of [rates, waits]) list.length = 0;
  const { code, output } = await runCommand(`cdk/commands/${name}.ts`, args);
  expect([code, rates], output).toEqual([0, expected]);
  expect(lastWaits.length === 0 ? [] : waits.slice(-lastWaits.length)).toEqual(lastWaits);
});

import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { type TableReader, tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import type { Stored } from '../../lib/model/item-invariants.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const petstore = usePetstore();
let client: ReturnType<typeof connect>;
let ids: Record<'cats' | 'dogs' | 'tom' | 'rex' | 'order', number>;
let items: Stored[];
const reader = (): TableReader => tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY);
const put = (item: Stored) => client.send(new PutItemCommand({ TableName: petstore.tableName, Item: marshall(item) }));

/** A shop with every kind of item that the audit checks, and an item of an unknown kind. */
beforeAll(async () => {
  client = connect(inject('endpoint'));
  const create = async (path: string, body: object, key: string) =>
    (await petstore.staff('POST', path, { body, headers: { 'Idempotency-Key': key } })).body.id as number;
  const cats = await create('/pets/categories', { name: 'Cats' }, 'cats');
  const dogs = await create('/pets/categories', { name: 'Dogs' }, 'dogs');
  const tom = await create('/pets', { name: 'Tom', categoryId: cats }, 'tom');
  const rex = await create('/pets', { name: 'Rex', categoryId: dogs, status: 'pending' }, 'rex');
  await petstore.staff('PUT', `/store/inventory/${tom}`, { body: { quantity: 9 } });
  const order = await create('/store/orders', { petId: tom, quantity: 2 }, 'order');
  await create('/store/orders', { petId: tom, complete: true }, 'sale');
  ids = { cats, dogs, tom, rex, order };
  await put({ pk: 'DRAGON#1', sk: 'DRAGON' });
  items = [];
  await reader().eachItem(item => items.push(item));
});
afterEach(async () => {
  for (const item of items) await put(item);
});
afterAll(() => client.destroy());

/** An attribute with another value, or without one: the item is deleted. All without the API. */
type Damage = readonly [kind: 'PET' | 'CATEGORY' | 'ORDER', id: keyof typeof ids, attribute?: string, value?: unknown];
const damage = ([sk, name, attribute, value]: Damage) => {
  const pk = `${sk}#${ids[name]}`;
  if (attribute !== undefined) return put({ ...items.find(item => item.pk === pk), [attribute]: value } as Stored);
  return client.send(new DeleteItemCommand({ TableName: petstore.tableName, Key: marshall({ pk, sk }) }));
};

describe('an audit', () => {
  // test/lib/model/invariants.test.ts has every violation of one item.
  it.each<[by: Damage[], ...lines: string[]]>([
    [[]],
    [[['PET', 'tom', 'reservedQuantity', 3]], 'PET#<tom> reservedQuantity: is 3; its open orders have 2 units'],
    [[['ORDER', 'order']], 'PET#<tom> reservedQuantity: is 2; its open orders have 0 units'],
    [[['CATEGORY', 'cats', 'petCount', 0]], 'CATEGORY#<cats> petCount: is 0; the category has 1 pets'],
    [
      [['PET', 'tom']],
      'CATEGORY#<cats> petCount: is 1; the category has 0 pets',
      'ORDER#<order> petId: names the pet <tom>, which does not exist; the order is open',
    ],
    [
      [
        ['PET', 'rex', 'reservedQuantity', 3],
        ['CATEGORY', 'dogs'],
      ],
      'PET#<rex> categoryId: names the category <dogs>, which does not exist',
      'PET#<rex> reservedQuantity: is 3; its open orders have 0 units',
    ],
    [[['PET', 'rex', 'availableQuantity', -1]], 'PET#<rex> availableQuantity: is -1, expected a number from 0'],
  ])('finds every mismatch after %j', async (by, ...expected) => {
    for (const each of by) await damage(each);
    const progress: string[] = [];
    const { mismatches, uncertain, other } = await audit(reader(), 1, text => progress.push(text));
    const lines = mismatches.map(({ key, about, text }) => `${key.pk} ${about}: ${text}`);
    const withIds = expected.map(line => line.replace(/<(\w+)>/g, (_, name) => `${ids[name as keyof typeof ids]}`));
    expect([lines.sort(), uncertain, other]).toEqual([withIds.sort(), [], { DRAGON: 1 }]);
    // Without a possible mismatch nothing is read again.
    expect(progress).toHaveLength(Math.min(by.length, 1));
  });

  it.each<[happens: Damage, texts: string[]]>([
    [['PET', 'rex', 'availableQuantity', -2], ['is -2, expected a number from 0']],
    [['PET', 'rex', 'availableQuantity', 1], []],
    [['PET', 'rex'], []],
  ])('reads a wrong item again, but not the whole table: meanwhile %j', async (happens, texts) => {
    await damage(['PET', 'rex', 'availableQuantity', -1]);
    const own = reader();
    const read: TableReader['read'] = async keys => {
      await damage(happens);
      return own.read(keys);
    };
    const eachItem = vi.fn(own.eachItem);
    const { mismatches, uncertain } = await audit({ ...own, read, eachItem }, 1);
    expect([mismatches.map(({ text }) => text), uncertain]).toEqual([texts, []]);
    expect(eachItem).toHaveBeenCalledTimes(1);
  });

  it('accepts an item only in its current shard and in those of smaller shard counts', async () => {
    expect((await audit(reader(), 5)).mismatches).toEqual([]);
    await damage(['PET', 'tom', 'all', `PETS#${ids.tom % 5}`]);
    await damage(['ORDER', 'order', 'all', 'ORDERS#5']);
    expect((await audit(reader(), 5)).mismatches.map(({ key }) => key.pk)).toEqual([`ORDER#${ids.order}`]);
  });
});

describe('an audit during writes', () => {
  /** A reader that returns pets as before a write, and all other items as after it. */
  const during = (happen: (scan: number) => Promise<unknown>): TableReader => {
    const own = reader();
    let scan = 0;
    return {
      ...own,
      eachItem: async take => {
        const before: Stored[] = [];
        await own.eachItem(item => before.push(item));
        await happen(++scan);
        for (const item of before) if (item.sk === 'PET') take(item);
        await own.eachItem(item => item.sk !== 'PET' && take(item));
      },
    };
  };
  // One unit of Tom moves from available to reserved, in a transaction.
  const order = () => petstore.shop('POST', '/store/orders', { body: { petId: ids.tom } });
  afterEach(async () => {
    for (const { id } of (await petstore.shop('GET', '/store/orders?complete=false')).body)
      await petstore.shop('DELETE', `/store/orders/${id}`);
  });

  it('reports no order that was placed between two of its reads', async () => {
    const scans: number[] = [];
    const moved = during(async scan => {
      scans.push(scan);
      if (scan === 1) await order();
    });
    expect(await audit(moved, 1)).toMatchObject({ mismatches: [], uncertain: [] });
    expect(scans, 'it seemed to differ, and was read again').toEqual([1, 2]);
  });

  it('reports a pet that is ordered in every round as uncertain, beside a mismatch', async () => {
    await damage(['CATEGORY', 'cats', 'petCount', 5]);
    const progress = vi.fn();
    const { mismatches, uncertain } = await audit(during(order), 1, progress);
    expect(mismatches.map(({ key }) => key.pk)).toEqual([`CATEGORY#${ids.cats}`]);
    expect(uncertain).toMatchObject([{ key: { pk: `PET#${ids.tom}` }, about: 'reservedQuantity' }]);
    expect(progress.mock.calls.map(([text]) => Number.parseInt(text, 10))).toEqual([2, 1, 1]);
  });
});

describe('npm run audit', () => {
  const run = (url = petstore.url) =>
    runInProcess('cdk/commands/audit/index.ts', ['--local', url, '--table', petstore.tableName]);

  it('prints the cost first, then mismatches, and exits with 1, or with 0 when there are none', async () => {
    const { out, err, code } = await run();
    expect(err).toMatch(/takes about \d+ read request units: \$0\.\d+/);
    const none = /^\d+ items \(not checked: 1 DRAGON\): 0 mismatches, 0 uncertain, \d+ read request units\n$/;
    expect([code, out]).toEqual([0, expect.stringMatching(none)]);
    await damage(['PET', 'tom', 'reservedQuantity', 1]);
    const line = `PET#${ids.tom} reservedQuantity: is 1; its open orders have `;
    expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining(line) });
  });

  it('exits with 2 when an item changes during every read', async () => {
    const [proxy, front] = [await startRewritingProxy(inject('endpoint')), await startRewritingProxy(petstore.url)];
    let reads = 100;
    proxy.rewrite = {
      // Tom has another count in every response, as if an order were placed before each.
      response: response => {
        reads += 1;
        const changed = { reservedQuantity: { N: `${reads}` }, writeCount: { N: `${reads}` } };
        const change = (_: string, value: { pk?: { S?: string } } | undefined) =>
          value?.pk?.S === `PET#${ids.tom}` ? { ...value, ...changed } : value;
        response.body = JSON.stringify(JSON.parse(String(response.body), change));
      },
    };
    front.rewrite = {
      response: response => {
        response.body = JSON.stringify({ ...JSON.parse(String(response.body)), DynamoDbEndpoint: proxy.url });
      },
    };
    const { out, code } = await run(front.url);
    for (const { stop } of [front, proxy]) stop();
    const line = /^PET#\d+ reservedQuantity: is \d+; .*\. The item changed during every read, so this is not certain$/m;
    expect([code, out]).toEqual([2, expect.stringMatching(line)]);
  });
});

import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { type TableReader, tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import type { Stored } from '../../lib/model/item-invariants.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Petstore, usePetstore } from '../support/petstore.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const petstore = usePetstore();
let client: ReturnType<typeof connect>;
let ids: Awaited<ReturnType<typeof stock>>;
beforeAll(async () => {
  client = connect(inject('endpoint'));
  ids = await stock(petstore);
});
afterAll(() => client.destroy());

const reader = (): TableReader => tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY);

/** A shop with every kind of item that the audit checks. */
const stock = async ({ staff, shop }: Petstore) => {
  const create = async (path: string, body: object, key: string) =>
    (await staff('POST', path, { body, headers: { 'Idempotency-Key': key } })).body.id as number;
  const cats = await create('/pets/categories', { name: 'Cats' }, 'cats');
  const dogs = await create('/pets/categories', { name: 'Dogs' }, 'dogs');
  const tom = await create('/pets', { name: 'Tom', categoryId: cats }, 'tom');
  const rex = await create('/pets', { name: 'Rex', categoryId: dogs, status: 'pending' }, 'rex');
  await staff('PUT', `/store/inventory/${tom}`, { body: { quantity: 9 } });
  const order = (await shop('POST', '/store/orders', { body: { petId: tom, quantity: 2 } })).body.id as number;
  const sale = (await staff('POST', '/store/orders', { body: { petId: tom, complete: true } })).body.id as number;
  return { cats, dogs, tom, rex, order, sale };
};

/** Sets an attribute (null: removes it) without the API. */
const corrupt = (kind: string, id: number, attribute: string, value: unknown) =>
  client.send(
    new UpdateItemCommand({
      TableName: petstore.tableName,
      Key: marshall({ pk: `${kind}#${id}`, sk: kind }),
      UpdateExpression: value === null ? 'REMOVE #a' : 'SET #a = :v',
      ExpressionAttributeNames: { '#a': attribute },
      ...(value !== null && { ExpressionAttributeValues: marshall({ ':v': value }) }),
    }),
  );

const remove = (kind: string, id: number) =>
  client.send(
    new DeleteItemCommand({ TableName: petstore.tableName, Key: marshall({ pk: `${kind}#${id}`, sk: kind }) }),
  );

const put = (item: Stored) => client.send(new PutItemCommand({ TableName: petstore.tableName, Item: marshall(item) }));

/** Damages the table, checks it, and restores all items. */
const damaged = async (by: () => Promise<unknown>, look: () => Promise<unknown>) => {
  const items: Stored[] = [];
  await reader().eachItem(item => items.push(item));
  try {
    await by();
    await look();
  } finally {
    for (const item of items) await put(item);
  }
};

const command = (...args: string[]) => runInProcess('cdk/commands/audit/index.ts', args);

describe('an audit', () => {
  it('finds no mismatch in items of the API, and counts unknown items', async () => {
    await put({ pk: 'DRAGON#1', sk: 'DRAGON' });
    expect(await audit(reader(), 1)).toEqual({ items: 11, other: { DRAGON: 1 }, mismatches: [], uncertain: [] });
  });

  it.each<[string, () => Promise<unknown>, () => string[]]>([
    [
      'a wrong reserved quantity',
      () => corrupt('PET', ids.tom, 'reservedQuantity', 3),
      () => [`PET#${ids.tom} reservedQuantity: is 3; its open orders have 2 units`],
    ],
    [
      'an order that was deleted without the API',
      () => remove('ORDER', ids.order),
      () => [`PET#${ids.tom} reservedQuantity: is 2; its open orders have 0 units`],
    ],
    [
      'a wrong pet count',
      () => corrupt('CATEGORY', ids.cats, 'petCount', 0),
      () => [`CATEGORY#${ids.cats} petCount: is 0; the category has 1 pets`],
    ],
    [
      'a category that does not exist',
      () => remove('CATEGORY', ids.dogs),
      () => [`PET#${ids.rex} categoryId: names the category ${ids.dogs}, which does not exist`],
    ],
    [
      'an open order of a pet that does not exist',
      () => remove('PET', ids.tom),
      () => [
        `CATEGORY#${ids.cats} petCount: is 1; the category has 0 pets`,
        `ORDER#${ids.order} petId: names the pet ${ids.tom}, which does not exist; the order is open`,
      ],
    ],
    [
      'two mismatches of a pet',
      async () => {
        await corrupt('PET', ids.rex, 'reservedQuantity', 3);
        await remove('CATEGORY', ids.dogs);
      },
      () => [
        `PET#${ids.rex} categoryId: names the category ${ids.dogs}, which does not exist`,
        `PET#${ids.rex} reservedQuantity: is 3; its open orders have 0 units`,
      ],
    ],
    // test/lib/model/invariants.test.ts has every violation of one item.
    [
      'a violation of one item',
      () => corrupt('PET', ids.rex, 'availableQuantity', -1),
      () => [`PET#${ids.rex} availableQuantity: is -1, expected a number from 0`],
    ],
  ])('finds %s', async (_, by, expected) => {
    await damaged(by, async () => {
      const { mismatches, uncertain } = await audit(reader(), 1);
      const lines = mismatches.map(({ key, about, text: says }) => `${key.pk} ${about}: ${says}`);
      expect(lines.sort()).toEqual(expected().sort());
      expect(uncertain).toEqual([]);
    });
  });

  it('reads an item with a wrong attribute again, but not the whole table', async () => {
    await damaged(
      () => corrupt('PET', ids.rex, 'availableQuantity', -1),
      async () => {
        let scans = 0;
        const progress: string[] = [];
        const own = reader();
        const counting: TableReader = {
          ...own,
          eachItem: take => {
            scans += 1;
            return own.eachItem(take);
          },
          // It changes between the scan and the second read.
          read: async keys => {
            await corrupt('PET', ids.rex, 'availableQuantity', -2);
            return own.read(keys);
          },
        };
        const { mismatches } = await audit(counting, 1, text => progress.push(text));
        expect(mismatches).toEqual([
          {
            key: { pk: `PET#${ids.rex}`, sk: 'PET' },
            about: 'availableQuantity',
            text: 'is -2, expected a number from 0',
            fromOthers: false,
          },
        ]);
        expect([scans, progress]).toEqual([1, ['1 possible mismatches. Reading them again (1 of at most 3 times)']]);
      },
    );
  });

  it('accepts an item only in its current shard and in those of smaller shard counts', async () => {
    const { tom, order } = ids;
    expect((await audit(reader(), 5)).mismatches).toEqual([]);
    const by = async () => {
      await corrupt('PET', tom, 'all', `PETS#${tom % 5}`);
      await corrupt('ORDER', order, 'all', 'ORDERS#5');
    };
    await damaged(by, async () => {
      expect((await audit(reader(), 5)).mismatches.map(({ key }) => key.pk)).toEqual([`ORDER#${order}`]);
    });
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
  const order = () => petstore.shop('POST', '/store/orders', { body: { petId: ids.tom } });

  it('reports no order that was placed between two of its reads', async () => {
    const scans: number[] = [];
    const moved = during(async scan => {
      scans.push(scan);
      if (scan === 1) await order();
    });
    expect(await audit(moved, 1)).toMatchObject({ mismatches: [], uncertain: [] });
    expect(scans, 'it seemed to differ, and was read again').toEqual([1, 2]);
  });

  it('reports a pet that is ordered in every round as uncertain', async () => {
    const key = { pk: `PET#${ids.tom}`, sk: 'PET' };
    const reserved = (await reader().read([key])).get(key.pk)!.reservedQuantity as number;
    const progress: string[] = [];
    const { mismatches, uncertain } = await audit(during(order), 1, text => progress.push(text));
    expect(mismatches).toEqual([]);
    expect(uncertain).toEqual([
      {
        key,
        about: 'reservedQuantity',
        text: `is ${reserved + 3}; its open orders have ${reserved + 4} units`,
        fromOthers: true,
      },
    ]);
    expect(progress).toEqual(
      [1, 2, 3].map(round => `1 possible mismatches. Reading them again (${round} of at most 3 times)`),
    );
  });

  it('reports a mismatch beside items that change', async () => {
    await corrupt('CATEGORY', ids.cats, 'petCount', 5);
    const moved = during(async scan => scan <= 3 && order());
    const { mismatches, uncertain } = await audit(moved, 1);
    await corrupt('CATEGORY', ids.cats, 'petCount', 1);
    expect(mismatches.map(({ key }) => key.pk)).toEqual([`CATEGORY#${ids.cats}`]);
    expect(uncertain).toEqual([]);
  });
});

describe('npm run audit', () => {
  const run = (...args: string[]) => command('--local', petstore.url, '--table', petstore.tableName, ...args);
  const tomLoses = () => corrupt('PET', ids.tom, 'reservedQuantity', 1);

  it('prints the cost first, then no mismatches, and exits with 0', async () => {
    const { out, err, code } = await run();
    expect(err).toMatch(/takes about \d+ read request units: \$0\.\d+/);
    expect(out).toMatch(
      /^\d+ items \(not checked: 1 DRAGON\): 0 mismatches, 0 uncertain, [1-9]\d* read request units\n$/,
    );
    expect(code).toBe(0);
  });

  it('prints mismatches and exits with 1', async () => {
    await damaged(tomLoses, async () => {
      const { out, code } = await run();
      expect(out).toContain(`PET#${ids.tom} reservedQuantity: is 1; its open orders have `);
      expect(code).toBe(1);
    });
  });

  it('exits with 2 when an item changes during every read', async () => {
    const proxy = await startRewritingProxy(inject('endpoint'));
    const front = await startRewritingProxy(petstore.url);
    let reads = 100;
    proxy.rewrite = {
      // Tom has another count in every response, as if an order were placed before each.
      response: response => {
        reads += 1;
        const change = (_: string, value: Record<string, unknown>) =>
          (value?.pk as { S?: string } | undefined)?.S === `PET#${ids.tom}`
            ? { ...value, reservedQuantity: { N: `${reads}` }, writeCount: { N: `${reads}` } }
            : value;
        response.body = JSON.stringify(JSON.parse(String(response.body), change));
      },
    };
    front.rewrite = {
      response: (response, { path }) => {
        if (path === '/local')
          response.body = JSON.stringify({ ...JSON.parse(String(response.body)), DynamoDbEndpoint: proxy.url });
      },
    };
    const { out, err, code } = await command('--local', front.url, '--table', petstore.tableName);
    front.stop();
    proxy.stop();
    expect(err).not.toContain('failed');
    expect(out).toMatch(
      /^PET#\d+ reservedQuantity: is \d+; its open orders have \d+ units\. The item changed during every read, so this is not certain$/m,
    );
    expect(err.match(/^1 possible mismatches\. Reading them again \(\d of at most 3 times\)$/gm)).toHaveLength(3);
    expect(code).toBe(2);
  });

  it('exits with 2 and prints what to do when it fails', async () => {
    const missing = await command('--local', petstore.url, '--table', 'nowhere');
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining('It does not exist in this region and account.'),
    });
  });
});

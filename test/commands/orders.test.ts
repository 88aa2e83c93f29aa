import { DeleteItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { type Listener, listenTo } from '../events/listener.ts';
import { startDynamoDbProxy } from '../support/dynamodb-proxy.ts';
import { stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';
import { signToken } from '../support/sign-token.ts';

const petstore = usePetstore({ publishesEvents: true });

const options = () => {
  const table = ['--local', petstore.url, '--table', petstore.tableName];
  return [...table, '--rate', '1000'];
};
const on =
  (script: string) =>
  (...args: string[]) =>
    runInProcess(`cdk/commands/${script}.ts`, [...options(), ...args]);
const clientData = on('client-data/index');
const reassign = on('orders/reassign');

const items = async (table = petstore.tableName) => {
  const client = connect(inject('endpoint'));
  const { Items = [] } = await client.send(new ScanCommand({ TableName: table }));
  client.destroy();
  return Items.map(item => unmarshall(item));
};
const mismatches = async () => {
  const client = connect(inject('endpoint'));
  const result = await audit(tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY), 1);
  client.destroy();
  return result.mismatches;
};
const stockOf = async (pet: number) => (await petstore.staff('GET', `/store/inventory/${pet}`)).body;
const listed = async (client = petstore.shop) =>
  (await client('GET', '/store/orders?limit=100')).body.map(({ id }: { id: number }) => id);

/** Two open orders and a complete one of `shop`, of which one takes the pet's last unit, and an order of `rival`. */
const orders = async () => {
  const pet = (await stockedPet(petstore.staff, 10)).id;
  const order = async (client: typeof petstore.shop, quantity: number, key?: string) =>
    (
      await client('POST', '/store/orders', {
        body: { petId: pet, quantity },
        ...(key && { headers: { 'Idempotency-Key': key } }),
      })
    ).body.id as number;
  const complete = await order(petstore.shop, 1);
  await petstore.staff('PATCH', `/store/orders/${complete}`, { body: { complete: true } });
  const others = await order(petstore.rival, 3, `rival ${pet}`);
  const open = [await order(petstore.shop, 2, `shop ${pet}`), await order(petstore.shop, 4)];
  return { pet, complete, open, others };
};

describe('npm run client-data', () => {
  it('exports the orders of one client as the API returns them', async () => {
    const { complete, open, others } = await orders();
    const own = (await petstore.shop('GET', '/store/orders?limit=100')).body;
    const { code, out, err } = await clientData('export', '--client', 'shop');
    expect(err).toBe(`${own.length} orders of the client shop in ${petstore.tableName}\n`);
    const lines = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(lines).toEqual(own);
    const ids = lines.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([complete, ...open]));
    expect(ids).not.toContain(others);
    expect(code).toBe(0);
  });

  it('prints the orders and the cost, and changes nothing without --yes', async () => {
    await orders();
    const before = await items();
    const table = ['--local', petstore.url, '--table', petstore.tableName];
    const erase = (...whose: string[]) =>
      runInProcess('cdk/commands/client-data/index.ts', ['erase', ...table, ...whose]);
    const { code, out, err } = await erase('--client', 'shop');
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(
      /has 6 orders of the client shop: 4 open, 2 complete\. Erasing them takes some 68 write request units, .* \$0\.\d{4}, about 2 s and the time of reading\.\n/,
    );
    const counted = 'Orders of its users are not counted here: only reading the table finds them.\n';
    expect(err).toContain(`${counted}Nothing was changed. Run it again with --yes to erase.\n`);
    expect((await erase('--user', 'shop')).err).not.toContain(counted);
    expect(await items()).toEqual(before);
  });

  it('erases orders and records of one client, returns the units of open orders, and keeps every counter correct', async () => {
    const { pet, others } = await orders();
    expect(await stockOf(pet)).toEqual({ petId: pet, quantity: 0, status: 'pending' });
    const all = (await listed()).length;
    // The record of a pet that has the id of an order.
    const record = { pk: 'IDEMPOTENCY#pet', sk: 'IDEMPOTENCY', ownerId: 'staff', clientId: 'staff' };
    const [id] = await listed();
    const engine = connect(inject('endpoint'));
    const Item = marshall({ ...record, result: { id, name: 'Tom' } });
    await engine.send(new PutItemCommand({ TableName: petstore.tableName, Item }));
    const open = (await petstore.shop('GET', '/store/orders?complete=false&limit=100')).body.length;
    expect(open).toBeLessThan(all);
    const { code, output } = await clientData('erase', '--client', 'shop', '--yes');
    expect(output).toMatch(
      new RegExp(
        `^Erased: ${all} orders \\(${open} were open, and their units are available again\\), \\d+ idempotency records\\.$`,
        'm',
      ),
    );
    expect(code).toBe(0);

    expect(await listed()).toEqual([]);
    const left = await items();
    expect(JSON.stringify(left)).not.toContain('"shop"');
    expect(left).toContainEqual({ ...record, result: { id, name: 'Tom' } });
    const Key = marshall({ pk: record.pk, sk: record.sk });
    await engine.send(new DeleteItemCommand({ TableName: petstore.tableName, Key }));
    engine.destroy();
    expect(await stockOf(pet)).toEqual({ petId: pet, quantity: 6, status: 'available' });
    expect((await petstore.rival('GET', `/store/orders/${others}`)).status).toBe(200);
    expect(await mismatches()).toEqual([]);
    const again = await clientData('erase', '--client', 'shop', '--yes');
    expect(again.output).toContain(
      'Erased: 0 orders (0 were open, and their units are available again), 0 idempotency records.',
    );
  });

  it('exports and erases the orders of every index shard, also when --index-shards is too small', async () => {
    const sharded = await startPetstore({ environment: { INDEX_SHARDS: '4' } });
    const pet = (await stockedPet(sharded.staff, 12)).id;
    for (let placed = 0; placed < 12; placed++)
      await sharded.shop('POST', '/store/orders', { body: { petId: pet, quantity: 1 } });
    const table = ['--client', 'shop', '--table', sharded.tableName];
    const exported = async (shards: string) => (await clientData('export', ...table, '--shards', shards)).output;
    expect(await exported('4')).toContain('12 orders of the client shop');
    expect(await exported('1'), 'reading the table finds what the index does not').toContain(
      '12 orders of the client shop',
    );
    // Without --yes, only the index is read.
    const { output } = await clientData('erase', ...table, '--shards', '4');
    expect(output).toContain('has 12 orders of the client shop');
    expect((await clientData('erase', ...table, '--yes', '--shards', '1')).output).toContain('Erased: 12 orders');
    expect(JSON.stringify(await items(sharded.tableName))).not.toContain('"shop"');
    expect((await sharded.staff('GET', `/store/inventory/${pet}`)).body).toMatchObject({ quantity: 12 });
    await sharded.stop();
  });

  it('requires --index-shards for a table without a stage', async () => {
    const { code, output } = await runInProcess('cdk/commands/client-data/index.ts', [
      ...['export', '--client', 'shop', '--table', petstore.tableName],
    ]);
    expect(code).toBe(1);
    expect(output).toContain('How many index shards has the table? --shards N');
  });

  it('publishes order.deleted for open orders, not order.cancelled', async () => {
    const { complete, open, others } = await orders();
    const listener: Listener = await listenTo(petstore.url);
    await clientData('erase', '--client', 'shop', '--yes');
    await petstore.rival('DELETE', `/store/orders/${others}`);
    const ended = () => listener.events.filter(({ type }) => /order\.(deleted|cancelled)$/.test(type));
    const about = (id: number) => ended().find(({ subject }) => subject === `store/orders/${id}`);
    await expect.poll(() => [complete, ...open, others].every(about)).toBe(true);
    for (const id of [complete, ...open])
      expect(about(id)).toMatchObject({ type: 'petstore.order.deleted', clientid: 'shop', data: { id } });
    expect(about(others)).toMatchObject({ type: 'petstore.order.cancelled', clientid: 'rival' });
    const inBetween = listener.events.filter(
      ({ type, subject }) => type.includes('order.updated') && subject.endsWith(`${open[0]}`),
    );
    expect(inBetween, 'the mark is not published').toEqual([]);
    listener.stop();
  });

  it.each([
    [['erase'], 'Whose data? --client ID or --user SUB'],
    [['erase', '--client', 'shop', '--user', 'anna'], 'Whose data? --client ID or --user SUB'],
    [['--client', 'shop'], 'export or erase?'],
    [['export', 'erase', '--client', 'shop'], 'export or erase?'],
    [['show', '--client', 'shop'], 'export or erase?'],
    [['erase', '--client', 'shop', '--shards', '1000'], '--shards 1000 is not a number from 1 to 999.'],
    [['erase', '--client', 'shop', '--rate', '10000'], '--rate 10000 is not a number from 1 to 9999'],
    [['erase', '--client', 'shop', '--rate', 'fast'], '--rate fast is not a number from 1 to 9999'],
    [['erase', '--client', 'shop', '--table', 'none'], 'It does not exist in this region and account.'],
  ])('prints what to do about %j', async (args, message) => {
    const { code, output } = await runInProcess('cdk/commands/client-data/index.ts', [...options(), ...args]);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });

  it.each([
    ['export', 'The data of the user anna could not be exported: '],
    ['erase', 'The data of the user anna could not be erased: '],
  ])('prints that %s failed', async (verb, message) => {
    const { code, err } = await clientData(verb, '--user', 'anna', '--table', 'none');
    expect([code, err.slice(0, message.length)]).toEqual([1, message]);
  });
});

describe('users who sign in through one client', () => {
  const [anna, ben] = ['3b0c1f6e-0000-4000-8000-00000000000a', '3b0c1f6e-0000-4000-8000-00000000000b'];

  /** An order of each user through `web`, one of Anna through `mobile`, and one of the client `web` itself. */
  const placeOrders = async () => {
    const petId = (await stockedPet(petstore.staff, 10)).id;
    const place = async (client: string, user?: string, key?: string) => {
      const call = petstore.withToken(await signToken(petstore.tokenKey, { client, ...(user && { user }) }));
      const headers: Record<string, string> = key ? { 'Idempotency-Key': key } : {};
      return (await call('POST', '/store/orders', { headers, body: { petId } })).body.id as number;
    };
    return {
      petId,
      anna: await place('web', anna, `web ${petId}`),
      ben: await place('web', ben, `web ${petId}`),
      mobile: await place('mobile', anna, `mobile ${petId}`),
      web: await place('web', undefined, `web ${petId}`),
    };
  };
  const exported = async (...whose: string[]): Promise<number[]> =>
    (await clientData('export', ...whose)).output
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line).id);
  const storedOrder = async (id: number) => (await items()).find(({ pk }) => pk === `ORDER#${id}`);

  beforeEach(async () => {
    for (const client of ['web', 'mobile']) await clientData('erase', '--client', client, '--yes');
  });

  it('are exported separately; the export of the client has all its orders', async () => {
    const ids = await placeOrders();
    expect((await exported('--user', anna)).sort()).toEqual([ids.anna, ids.mobile]);
    expect(await exported('--user', ben)).toEqual([ids.ben]);
    expect((await exported('--client', 'web')).sort()).toEqual([ids.anna, ids.ben, ids.web]);
    // A client is no user.
    expect(await exported('--user', 'web')).toEqual([ids.web]);
    await clientData('erase', '--user', 'web', '--yes');
    expect((await exported('--client', 'web')).sort()).toEqual([ids.anna, ids.ben]);
  });

  it('are erased separately', async () => {
    const ids = await placeOrders();
    const { output } = await clientData('erase', '--user', anna, '--yes');
    expect(output).toContain('Erased: 2 orders');
    expect(output).toContain('2 idempotency records.');
    expect(JSON.stringify(await items())).not.toContain(anna);
    expect(await exported('--client', 'web')).toEqual(expect.arrayContaining([ids.ben, ids.web]));
    expect(await mismatches()).toEqual([]);
  });

  it('lose only the orders that they placed through a client that is erased', async () => {
    const ids = await placeOrders();
    const { output } = await clientData('erase', '--client', 'web', '--yes');
    expect(output).toContain(
      'Erased: 3 orders (3 were open, and their units are available again), 3 idempotency records.',
    );
    expect(JSON.stringify(await items())).not.toContain('"web"');
    expect(await exported('--user', anna)).toEqual([ids.mobile]);
    const records = (await items()).filter(({ sk, ownerId }) => sk === 'IDEMPOTENCY' && ownerId === anna);
    expect(records.map(({ result }) => result.id)).toEqual([ids.mobile]);
    expect(await stockOf(ids.petId)).toMatchObject({ quantity: 9 });
    expect(await mismatches()).toEqual([]);
  });

  it('lose the idempotency records of every write when their client or they are erased', async () => {
    for (const whose of [
      ['--client', 'web'],
      ['--user', anna],
    ]) {
      const { mobile, ...ids } = await placeOrders();
      const call = petstore.withToken(await signToken(petstore.tokenKey, { client: 'web', user: anna }));
      const headers = { 'Idempotency-Key': `cancel ${ids.anna}` };
      expect((await call('DELETE', `/store/orders/${ids.anna}`, { headers })).status).toBe(204);
      const complete = { headers, body: { complete: true } };
      expect((await petstore.staff('PATCH', `/store/orders/${mobile}`, complete)).status).toBe(200);
      const { code, output } = await clientData('erase', ...whose, '--yes');
      expect([code, output]).toEqual([0, expect.stringContaining('idempotency records')]);
      const records = (await items()).filter(({ sk }) => sk === 'IDEMPOTENCY');
      const ofSubject = records.filter(({ clientId, ownerId }) => whose.includes(clientId) || whose.includes(ownerId));
      expect(ofSubject).toEqual([]);
      // The record of staff has a copy of the order.
      const copies = records.filter(({ result }) => result?.petId !== undefined && result.id === mobile);
      expect(copies.map(({ ownerId }) => ownerId).sort()).toEqual(whose.includes(anna) ? [] : [anna, 'staff']);
      await clientData('erase', '--client', 'mobile', '--yes');
    }
  });

  it('keep their orders when their client is replaced, and can be replaced themselves', async () => {
    const ids = await placeOrders();
    const [newAnna] = ['3b0c1f6e-0000-4000-8000-00000000000c'];
    const args = ['--map', 'web=portal', '--map', `${anna}=${newAnna}`, '--yes'];
    const { output } = await reassign(...args);
    expect(output).toContain('Reassigned: 4 orders.');
    expect(await storedOrder(ids.anna)).toMatchObject({ ownerId: newAnna, clientId: 'portal' });
    expect(await storedOrder(ids.ben)).toMatchObject({ ownerId: ben, clientId: 'portal' });
    expect(await storedOrder(ids.mobile)).toMatchObject({ ownerId: newAnna, clientId: 'mobile' });
    expect(await storedOrder(ids.web)).toMatchObject({ ownerId: 'portal', clientId: 'portal' });
    expect((await exported('--user', newAnna)).sort()).toEqual([ids.anna, ids.mobile]);
    expect(await mismatches()).toEqual([]);
    expect((await reassign(...args)).output).toContain('Reassigned: 0 orders.');
    for (const client of ['portal', 'mobile']) await clientData('erase', '--client', client, '--yes');
  });
});

describe('npm run orders:reassign', () => {
  beforeEach(async () => {
    await clientData('erase', '--client', 'shop', '--yes');
  });

  it('prints the orders, and changes nothing without --yes', async () => {
    await orders();
    const before = await items();
    const { code, output } = await reassign('--map', 'shop=rival');
    expect(output).toContain('has 3 orders of shop; they go to rival');
    expect(output).toContain('Nothing was changed.');
    expect(code).toBe(0);
    expect(await items()).toEqual(before);
  });

  it('changes the owner of open and complete orders, and increments version and write count', async () => {
    const { pet, complete, open } = await orders();
    const countsOf = async (id: number) => {
      const { version, writeCount } = (await items()).find(item => item.pk === `ORDER#${id}`)!;
      return { version, writeCount };
    };
    const before = await countsOf(open[0]!);
    const { code, output } = await reassign('--map', 'shop=rival', '--yes');
    expect(output).toContain('Reassigned: 3 orders.');
    expect(code).toBe(0);
    expect(await countsOf(open[0]!)).toEqual({ version: before.version + 1, writeCount: before.writeCount + 1 });
    expect((await items()).find(({ pk }) => pk === `ORDER#${open[0]}`)).toMatchObject({ clientId: 'rival' });
    expect(await listed()).toEqual([]);
    expect(await listed(petstore.rival)).toEqual(expect.arrayContaining([complete, ...open]));
    const filtered = (await petstore.rival('GET', '/store/orders?complete=true&limit=100')).body;
    expect(filtered.map(({ id }: { id: number }) => id)).toContain(complete);
    expect(await mismatches()).toEqual([]);
    expect((await petstore.rival('DELETE', `/store/orders/${open[0]}`)).status).toBe(204);
    expect(await stockOf(pet)).toMatchObject({ quantity: 2 });
    expect((await reassign('--map', 'shop=rival', '--yes')).output).toContain('Reassigned: 0 orders.');
  });

  it('continues after an interruption', async () => {
    await orders();
    await orders();
    const first = run('cdk/commands/orders/reassign.ts', [
      ...['--local', petstore.url, '--table', petstore.tableName],
      ...['--map', 'shop=rival', '--yes', '--rate', '1'],
    ]);
    await expect.poll(async () => (await listed()).length).toBeLessThan(6);
    first.child.kill('SIGKILL');
    await first.exit;
    const left = (await listed()).length;
    expect(left).toBeGreaterThan(0);
    expect((await reassign('--map', 'shop=rival', '--yes')).output).toContain(`Reassigned: ${left} orders.`);
    expect(await listed()).toEqual([]);
    expect(await mismatches()).toEqual([]);
  });
});

describe('npm run orders:reassign with wrong arguments', () => {
  it.each([
    [[], 'Whose orders go to whom?'],
    [['--map', 'shop'], '--map shop is not OLD=NEW, two ids.'],
    [['--map', 'shop='], '--map shop= is not OLD=NEW, two ids.'],
    [['--map', 'shop=a b'], '--map shop=a b is not OLD=NEW, two ids.'],
    [['--map', `shop=${'a'.repeat(129)}`], 'a is not OLD=NEW, two ids.'],
    [['--map', 'shop=rival', '--rate', '10000'], '--rate'],
    [['--map', 'a=b', '--map', 'a=c'], 'An id is named twice as OLD'],
    [['--map', 'a=b', '--map', 'b=c'], 'b is both OLD and NEW'],
  ])('prints what is wrong with %j', async (args, message) => {
    const { code, output } = await runInProcess('cdk/commands/orders/reassign.ts', [...options(), ...args]);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });
});

/** An index is up to a second behind the table; here it has no orders at all. */
describe('with a lagging index', () => {
  const onLaggingIndex = async (script: string, ...args: string[]) => {
    const proxy = await startDynamoDbProxy(inject('endpoint'));
    proxy.faultFor = ({ operation }) =>
      operation === 'Query' ? { rewrite: body => ({ ...body, Items: [], Count: 0 }) } : undefined;
    const front = await startRewritingProxy(petstore.url);
    front.rewrite = {
      response: (response, { path }) => {
        if (path === '/local')
          response.body = JSON.stringify({ ...JSON.parse(String(response.body)), DynamoDbEndpoint: proxy.url });
      },
    };
    const where = ['--local', front.url, '--table', petstore.tableName, '--rate', '1000'];
    const { code, output } = await runInProcess(`cdk/commands/${script}.ts`, [...where, ...args]);
    expect(proxy.responses.some(({ call }) => call.operation === 'Query')).toBe(true);
    front.stop();
    await proxy.stop();
    expect(code, output).toBe(0);
    return output;
  };

  beforeEach(async () => {
    await clientData('erase', '--client', 'shop', '--yes');
  });

  it('lagging: client-data exports and erases every order', async () => {
    const { pet, complete, open } = await orders();
    const exported = await onLaggingIndex('client-data/index', 'export', '--client', 'shop');
    for (const id of [complete, ...open]) expect(exported).toContain(`"id":${id}`);
    expect(exported).toContain('3 orders of the client shop');
    expect(await onLaggingIndex('client-data/index', 'erase', '--client', 'shop', '--yes')).toContain(
      'Erased: 3 orders (2 were open, and their units are available again), 1 idempotency records.',
    );
    expect(JSON.stringify(await items())).not.toContain('"shop"');
    expect(await stockOf(pet)).toMatchObject({ quantity: 6, status: 'available' });
    expect(await mismatches()).toEqual([]);
  });

  it('lagging: orders:reassign reassigns every order', async () => {
    const { complete, open } = await orders();
    const output = await onLaggingIndex('orders/reassign', '--map', 'shop=rival', '--yes');
    expect(output).toContain('has 0 orders of shop');
    expect(output).toContain('Reassigned: 3 orders.');
    expect(await listed()).toEqual([]);
    expect(await listed(petstore.rival)).toEqual(expect.arrayContaining([complete, ...open]));
    expect(await mismatches()).toEqual([]);
  });
});

describe('the orders of an owner', () => {
  it('are read from every page of the index', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 101);
    await clientData('erase', '--client', 'shop', '--yes');
    for (let placed = 0; placed < 101; placed++)
      expect((await petstore.shop('POST', '/store/orders', { body: { petId } })).status).toBe(201);
    const { code, output } = await reassign('--map', 'shop=rival', '--map', 'none=rival', '--rate', '10');
    expect([code, output]).toEqual([
      0,
      `${petstore.tableName} has 101 orders of shop; they go to rival
${petstore.tableName} has 0 orders of none; they go to rival
This takes some 1010 write request units: $0.0006, about 11 s. Then it reads the whole table for orders that users placed through these clients, which are not counted here.
Nothing was changed. Run it again with --yes to reassign.
`,
    ]);
    expect((await clientData('erase', '--client', 'shop', '--yes')).output).toContain(
      'Erased: 101 orders (101 were open',
    );
  });
});

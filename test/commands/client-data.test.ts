import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { listenTo } from '../events/listener.ts';
import { stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { signToken } from '../support/sign-token.ts';

const petstore = usePetstore({ publishesEvents: true });
const where = () => ['--local', petstore.url, '--table', petstore.tableName];
const clientData = (...args: string[]) =>
  runInProcess('cdk/commands/client-data.ts', [...where(), '--rate', '1000', ...args]);

const items = async () => {
  const client = connect(inject('endpoint'));
  const { Items = [] } = await client.send(new ScanCommand({ TableName: petstore.tableName }));
  client.destroy();
  return Items.map(item => unmarshall(item));
};
const itemOf = async (id: number) => (await items()).find(({ pk }) => pk === `ORDER#${id}`)!;
const mismatches = async () => {
  const client = connect(inject('endpoint'));
  const result = await audit(tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY), 1);
  client.destroy();
  return result.mismatches;
};
const stockOf = async (pet: number) => (await petstore.staff('GET', `/store/inventory/${pet}`)).body;
const exported = async (...whose: string[]): Promise<number[]> => {
  const { out } = await clientData('export', ...whose);
  const ids = out.split('\n').flatMap(line => (line ? JSON.parse(line).id : []));
  return ids.sort();
};

const [anna, ben] = ['3b0c1f6e-0000-4000-8000-00000000000a', '3b0c1f6e-0000-4000-8000-00000000000b'];
const asUser = async (client: string, user?: string) =>
  petstore.withToken(await signToken(petstore.tokenKey, { client, ...(user && { user }) }));

/**
 * Ten units of a pet, with an open order of each user through `web`, one of Anna through `mobile`, and of the client `web`
 * itself an open one and a complete one. The first four have an idempotency record.
 */
const orders = async () => {
  const petId = (await stockedPet(petstore.staff, 10)).id;
  const place = async (client: string, user?: string, key?: string) => {
    const headers: Record<string, string> = key ? { 'Idempotency-Key': key } : {};
    const call = await asUser(client, user);
    return (await call('POST', '/store/orders', { headers, body: { petId } })).body.id as number;
  };
  const placed = {
    anna: await place('web', anna, `web ${petId}`),
    ben: await place('web', ben, `web ${petId}`),
    mobile: await place('mobile', anna, `mobile ${petId}`),
    open: await place('web', undefined, `web ${petId}`),
    complete: await place('web'),
  };
  await petstore.staff('PATCH', `/store/orders/${placed.complete}`, { body: { complete: true } });
  return { petId, ...placed };
};

beforeEach(async () => {
  for (const client of ['web', 'mobile', 'portal']) await clientData('erase', '--client', client, '--yes');
});

describe('npm run client-data export', () => {
  it('writes the orders as the API returns them, of a client with those of its users', async () => {
    const { anna: ofAnna, ben: ofBen, mobile, open, complete } = await orders();
    const { code, out, err } = await clientData('export', '--client', 'web');
    const returned = await Promise.all(
      [ofAnna, ofBen, open, complete].map(async id => (await petstore.staff('GET', `/store/orders/${id}`)).body),
    );
    const lines = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(lines.sort((a, b) => a.id - b.id)).toEqual(returned);
    expect([code, err]).toEqual([
      0,
      `${petstore.tableName} has 4 orders of web, 3 of them open, and 3 idempotency records.\n`,
    ]);
    expect(await exported('--user', anna)).toEqual([ofAnna, mobile]);
    // A client is no user, but owns its own orders.
    expect(await exported('--user', 'web')).toEqual([open, complete]);
  });
});

describe('npm run client-data erase', () => {
  it('changes nothing without --yes', async () => {
    await orders();
    const before = await items();
    const { code, out, err } = await clientData('erase', '--client', 'web');
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(/has 4 orders of web, 3 of them open, and 3 .*\nNothing was changed\. Run it again with --yes/);
    expect(await items()).toEqual(before);
  });

  it('erases the orders and records of a client, returns the units of open orders, and keeps every counter', async () => {
    const { petId, mobile } = await orders();
    const { code, output } = await clientData('erase', '--client', 'web', '--yes');
    expect([code, output]).toEqual([0, expect.stringContaining('4 orders: erased, with 3 idempotency records.')]);
    expect(JSON.stringify(await items())).not.toContain('"web"');
    expect(await exported('--user', anna)).toEqual([mobile]);
    expect(await stockOf(petId)).toMatchObject({ quantity: 8, status: 'available' });
    expect(await mismatches()).toEqual([]);
    expect((await clientData('erase', '--client', 'web', '--yes')).output).toContain('0 orders: erased, with 0');
  });

  it.each([
    ['--client', 'web'],
    ['--user', anna],
  ])('erases the records of every write by %s, and the copies of its orders in records of staff', async (...whose) => {
    const { mobile, ...ids } = await orders();
    const call = await asUser('web', anna);
    const headers = { 'Idempotency-Key': `cancel ${ids.anna}` };
    expect((await call('DELETE', `/store/orders/${ids.anna}`, { headers })).status).toBe(204);
    const complete = { headers, body: { complete: true } };
    expect((await petstore.staff('PATCH', `/store/orders/${mobile}`, complete)).status).toBe(200);
    expect((await clientData('erase', ...whose, '--yes')).code).toBe(0);
    const records = (await items()).filter(({ sk }) => sk === 'IDEMPOTENCY');
    expect(records.filter(({ clientId, ownerId }) => whose.includes(clientId) || whose.includes(ownerId))).toEqual([]);
    const copies = records.filter(({ result }) => result?.petId !== undefined && result.id === mobile);
    expect(copies.map(({ ownerId }) => ownerId).sort()).toEqual(whose.includes(anna) ? [] : [anna, 'staff']);
  });

  it('publishes order.deleted for open orders, not order.cancelled', async () => {
    const { petId: _, mobile, ...ids } = await orders();
    const listener = await listenTo(petstore.url);
    await clientData('erase', '--client', 'web', '--yes');
    await (await asUser('mobile', anna))('DELETE', `/store/orders/${mobile}`);
    const about = (id: number, types = /deleted|cancelled/) =>
      listener.events.filter(({ type, subject }) => types.test(type) && subject === `store/orders/${id}`);
    await expect.poll(() => [mobile, ...Object.values(ids)].every(id => about(id).length > 0)).toBe(true);
    for (const id of Object.values(ids))
      expect(about(id)).toMatchObject([{ type: 'petstore.order.deleted', clientid: 'web', data: { id } }]);
    expect(about(mobile)).toMatchObject([{ type: 'petstore.order.cancelled', clientid: 'mobile' }]);
    expect(about(ids.open, /updated/), 'the mark before the deletion is not published').toEqual([]);
    listener.stop();
  });
});

describe('npm run client-data move', () => {
  it('gives orders another client or user, and increases version and write count', async () => {
    const { petId, ...ids } = await orders();
    const before = await itemOf(ids.open);
    expect((await clientData('move', '--client', 'web', '--to', 'portal', '--yes')).output).toContain(
      '4 orders: moved',
    );
    const newAnna = anna.replace(/a$/, 'c');
    expect((await clientData('move', '--user', anna, '--to', newAnna, '--yes')).output).toContain('2 orders: moved to');
    expect(await itemOf(ids.anna)).toMatchObject({ ownerId: newAnna, clientId: 'portal' });
    expect(await itemOf(ids.ben)).toMatchObject({ ownerId: ben, clientId: 'portal' });
    expect(await itemOf(ids.mobile)).toMatchObject({ ownerId: newAnna, clientId: 'mobile' });
    const counts = { version: before.version + 1, writeCount: before.writeCount + 1 };
    expect(await itemOf(ids.open)).toMatchObject({ ownerId: 'portal', clientId: 'portal', ...counts });
    const portal = await asUser('portal');
    const listed = (await portal('GET', '/store/orders?complete=true')).body;
    expect(listed.map(({ id }: { id: number }) => id)).toEqual([ids.complete]);
    expect((await portal('DELETE', `/store/orders/${ids.open}`)).status).toBe(204);
    expect([await stockOf(petId), await mismatches()]).toMatchObject([{ quantity: 6 }, []]);
  });

  it('continues after an interruption', async () => {
    await orders();
    const args = [...where(), '--client', 'web', '--to', 'portal', '--yes'];
    const first = run('cdk/commands/client-data.ts', ['move', ...args, '--rate', '1']);
    await expect.poll(async () => (await exported('--client', 'portal')).length).toBeGreaterThan(0);
    first.child.kill('SIGKILL');
    await first.exit;
    const left = (await exported('--client', 'web')).length;
    expect(left).toBeGreaterThan(0);
    const { output } = await runInProcess('cdk/commands/client-data.ts', ['move', ...args, '--rate', '1000']);
    expect(output).toContain(`${left} orders: moved to portal`);
    expect([(await exported('--client', 'portal')).length, await mismatches()]).toEqual([4, []]);
  });
});

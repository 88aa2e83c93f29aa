import { afterAll, expect, inject, it } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import type { Stored } from '../../lib/model/violation.ts';
import { useListeners } from '../events/listener.ts';
import { startAwsProxy } from '../support/aws-proxy.ts';
import { useDeployedStage } from '../support/fake-aws.ts';
import { stockedPet } from '../support/fixtures.ts';
import { needsOf } from '../support/permissions.ts';
import { usePetstore } from '../support/petstore.ts';
import { runCommand } from '../support/run-command.ts';
import { signToken } from '../support/sign-token.ts';

const petstore = usePetstore({ publishesEvents: true });
const listen = useListeners(petstore);
const client = connect(inject('endpoint'));
const aws = await useDeployedStage(() => ({ TableName: petstore.tableName }));
/** Between the command and the table. */
const proxy = await startAwsProxy(inject('endpoint'));
afterAll(() => void [client.destroy(), proxy.stop()]);
const clientData = (verb: string, ...args: string[]) => {
  const environment = { ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  return runCommand(
    'cdk/commands/client-data.ts',
    [verb, '--stage', 'dev', '--rate', '1000', ...args],
    environment,
  );
};

const reader = () => tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY);
const items = async () => {
  const found: Stored[] = [];
  await reader().eachItem(item => found.push(item));
  return found;
};
const itemOf = async (id: number) => (await items()).find(({ pk }) => pk === `ORDER#${id}`)!;
const mismatches = async () => (await audit(reader(), 1)).mismatches;
const stockOf = async (pet: number) =>
  (await petstore.staff('GET', `/store/inventory/${pet}`)).body;
/** As exported, oldest first. */
const ordersIn = (out: string): { id: number }[] =>
  out
    .match(/.+/g)!
    .map(line => JSON.parse(line))
    .sort((a, b) => a.id - b.id);
const exported = async (...whose: string[]) =>
  ordersIn((await clientData('export', ...whose)).out).map(({ id }) => id);

const asUser = async (client: string, user?: string) =>
  petstore.withToken(await signToken(petstore.tokenKey, { client, ...(user && { user }) }));

let round = 0;
/**
 * Of one pet with ten units: by Anna and Ben through the client `web`, by Anna through `mobile`, and two by `web` itself. The
 * last is complete, and the only one without an idempotency record.
 */
const orders = async () => {
  const petId = (await stockedPet(petstore.staff, 10)).id;
  round += 1;
  const [web, mobile, anna, ben] = [
    `web-${round}`,
    `mobile-${round}`,
    `anna-${round}`,
    `ben-${round}`,
  ];
  const place = async (client: string, user?: string, isSafe = true): Promise<number> => {
    const request = { body: { petId }, ...(isSafe && { headers: { 'Idempotency-Key': client } }) };
    return (await (await asUser(client, user))('POST', '/store/orders', request)).body.id;
  };
  const [ofAnna, ofBen, inApp] = [
    await place(web, anna),
    await place(web, ben),
    await place(mobile, anna),
  ];
  const own = { open: await place(web), complete: await place(web, undefined, false) };
  const ids = { anna: ofAnna, ben: ofBen, mobile: inApp, ...own };
  await petstore.staff('PATCH', `/store/orders/${ids.complete}`, { body: { complete: true } });
  return { petId, web, anna, ben, mobile, ids };
};

it('export writes the orders as the API returns them, and erase without --yes changes nothing', async () => {
  const { web, anna, ids } = await orders();
  const { code, out, err } = await clientData('export', '--client', web);
  const get = async (id: number) => (await petstore.staff('GET', `/store/orders/${id}`)).body;
  const counts = `${petstore.tableName} has 4 orders of ${web} (3 open), and 3 idempotency records.\n`;
  const expected = await Promise.all([ids.anna, ids.ben, ids.open, ids.complete].map(get));
  expect([code, ordersIn(out), err]).toEqual([
    0,
    expected,
    `Stage dev in eu-west-1\nAccount 123456789012\n${counts}`,
  ]);
  expect(await exported('--user', anna)).toEqual([ids.anna, ids.mobile]);
  // `web` is not a user, but owns the orders that it placed without a user.
  expect(await exported('--user', web)).toEqual([ids.open, ids.complete]);
  const before = await items();
  const err2 = expect.stringContaining(`${counts}Nothing was changed. Run it again with --yes`);
  expect(await clientData('erase', '--client', web)).toMatchObject({ code: 0, out: '', err: err2 });
  expect(await items()).toEqual(before);
});

it('erase removes orders and records, returns units, and publishes the deletion', async () => {
  const { petId, web, anna, ids } = await orders();
  const { events } = await listen();
  const headers = { 'Idempotency-Key': `of ${petId}` };
  const ofAnna = await asUser(web, anna);
  expect((await ofAnna('DELETE', `/store/orders/${ids.anna}`, { headers })).status).toBe(204);
  const complete = { headers, body: { complete: true } };
  expect((await petstore.staff('PATCH', `/store/orders/${ids.mobile}`, complete)).status).toBe(200);
  const isCopy = ({ sk, result }: Stored) => sk === 'IDEMPOTENCY' && result?.id === ids.mobile;
  const ownersOfCopies = async () =>
    (await items())
      .filter(isCopy)
      .map(({ ownerId }) => ownerId)
      .sort();
  const output = expect.stringContaining('3 orders: erased, with 4 idempotency records.');
  expect(await clientData('erase', '--client', web, '--yes')).toMatchObject({ code: 0, output });
  expect(JSON.stringify(await items())).not.toContain(`"${web}"`);
  expect([await exported('--user', anna), await ownersOfCopies()]).toEqual([
    [ids.mobile],
    [anna, 'staff'],
  ]);
  expect([await stockOf(petId), await mismatches()]).toMatchObject([
    { quantity: 8, status: 'available' },
    [],
  ]);
  expect((await clientData('erase', '--client', web, '--yes')).output).toContain(
    '0 orders: erased, with 0',
  );
  expect((await clientData('erase', '--user', anna, '--yes')).code).toBe(0);
  expect([JSON.stringify(await items()), await ownersOfCopies()]).toEqual([
    expect.not.stringContaining(anna),
    [],
  ]);
  const lastEventOf = (id: number) =>
    events.findLast(({ subject }) => subject === `store/orders/${id}`)?.type;
  const ended = ['cancelled', 'deleted', 'deleted', 'deleted'].map(end => `petstore.order.${end}`);
  await expect
    .poll(() => [ids.anna, ids.ben, ids.open, ids.complete].map(lastEventOf))
    .toEqual(ended);
});

it('move gives orders another client or user, and increases version and write count', async () => {
  const { petId, web, anna, ben, mobile, ids } = await orders();
  const [portal, newAnna] = [`to-${web}`, `to-${anna}`];
  const before = await itemOf(ids.open);
  const move = ['move', '--client', web, '--to', portal, '--yes'] as const;
  expect((await clientData(...move)).output).toContain(`4 orders: moved to ${portal}`);
  expect((await clientData(...move)).output).toContain('0 orders: moved');
  expect((await clientData('move', '--user', anna, '--to', newAnna, '--yes')).output).toContain(
    '2 orders: moved to',
  );
  expect(await itemOf(ids.anna)).toMatchObject({ ownerId: newAnna, clientId: portal });
  expect(await itemOf(ids.ben)).toMatchObject({ ownerId: ben, clientId: portal });
  expect(await itemOf(ids.mobile)).toMatchObject({ ownerId: newAnna, clientId: mobile });
  const counts = { version: before.version + 1, writeCount: before.writeCount + 1 };
  expect(await itemOf(ids.open)).toMatchObject({ ownerId: portal, clientId: portal, ...counts });
  const asPortal = await asUser(portal);
  const listed = (await asPortal('GET', '/store/orders?complete=true')).body;
  expect(listed.map(({ id }: { id: number }) => id)).toEqual([ids.complete]);
  expect((await asPortal('DELETE', `/store/orders/${ids.open}`)).status).toBe(204);
  expect([await stockOf(petId), await mismatches()]).toMatchObject([{ quantity: 6 }, []]);
});

it('they need exactly these permissions, unless an ambiguous write is resolved', () => {
  const actions = proxy.responses.flatMap(({ call }) => needsOf(call).map(({ action }) => action));
  const needed = ['DeleteItem', 'DescribeTable', 'GetItem', 'Scan', 'UpdateItem'].map(
    name => `dynamodb:${name}`,
  );
  expect([...new Set(actions)].sort()).toEqual(needed);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { createdAt, firstIdAt } from '../../lib/model/table/id.ts';
import { orderKey } from '../../lib/model/table/keys.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Client, usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';
import { type ProxiedResponse, startRewritingProxy } from '../support/rewriting-proxy.ts';

const petstore = usePetstore();
const stale = usePetstore();
const orders = (url: string, ...args: string[]) => runInProcess('cdk/commands/orders.ts', ['--local', url, ...args]);
const place = async (client: Client, petId: number, fields: object = {}): Promise<number> =>
  (await client('POST', '/store/orders', { body: { petId, ...fields } })).body.id;
/** The rows that a command printed, without the times. */
const rowsOf = ({ out }: { out: string }) =>
  [...out.matchAll(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} GMT\S*\t(.*)$/gm)].map(([, row]) => row!.split('\t'));

it('npm run orders prints the orders of today, of a pet, or open ones, or writes a file that evaluates no name', async () => {
  const category = await createCategory(petstore.staff);
  const tom = await createPet(petstore.staff, category.id, { name: '=1+1, "猫"' });
  const gone = await createPet(petstore.staff, category.id);
  const sold = await place(petstore.staff, gone.id, { complete: true, shipDate: '2027-01-04T09:00:00Z' });
  expect((await petstore.staff('DELETE', `/pets/${gone.id}`)).status).toBe(204);
  const open = await place(petstore.shop, tom.id);
  const ofTom = [`${open}`, '1', 'open', tom.name, ''];
  const all = [ofTom, [`${sold}`, '1', 'complete', '(deleted)', '2027-01-04T09:00:00Z']];

  const { code, out } = await orders(petstore.url);
  expect([code, rowsOf({ out })]).toEqual([0, all]);
  expect(out).toMatch(/\nSince \d{4}-\d\d-\d\d 00:00:00 GMT\S*: 2 orders \(1 open\), 2 units\n$/);
  for (const args of [['--open'], ['--pet', `${tom.id}`], ['--since', '7d', '--open']])
    expect(rowsOf(await orders(petstore.url, ...args)), args.join(' ')).toEqual([ofTom]);
  expect(rowsOf(await orders(petstore.url, '--since', '2025-01-01'))).toEqual(all);

  const file = join(await newFolder(), 'orders.csv');
  const written = await orders(petstore.url, '--open', '--csv', file);
  expect(written.out).toBe(`Of all times: 1 orders (1 open), 1 units are in ${file}.\n`);
  const row = `${open},1,open,"'=1+1, ""猫""",\n`;
  const header = '\ufeffplaced,order,quantity,state,pet,ship date\n';
  expect(readFileSync(file, 'utf8').split(/^[\d-]+ [\d:]+ GMT.*?,/m)).toEqual([header, row]);
});

it('npm run orders reads every page, and the names of all pets', async () => {
  const category = await createCategory(petstore.staff, 'Many');
  const ids: number[] = [];
  for (let number = 1; number <= 101; number++)
    ids.push(await place(petstore.staff, (await createPet(petstore.staff, category.id, { name: `${number}` })).id));
  const rows = rowsOf(await orders(petstore.url)).slice(0, 101);
  expect(rows.map(([id, , , name]) => [id, name])).toEqual(ids.map((id, index) => [`${id}`, `${index + 1}`]).reverse());
});

it.each([
  ['--cancel-older-than 0h', '--cancel-older-than 0h is not at least one hour ago.'],
  ['--cancel-older-than 2d --open', '--cancel-older-than goes with no filter'],
  ['--yes', '--yes only with --cancel-older-than'],
  ['--since 2999-01-01', '--since 2999-01-01 is no time in the past.'],
])('npm run orders -- %s: %s', async (args, message) => {
  const { code, err } = await orders(petstore.url, ...args.split(' '));
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});

const client = DynamoDBDocumentClient.from(connect(inject('endpoint')));
afterAll(() => client.destroy());
/** Places orders of a pet with nine units two months ago: an id has the time. */
const oldOrders = async (...all: readonly object[]) => {
  const pet = await stockedPet(stale.staff, 9);
  const ids: number[] = [];
  for (const fields of all) {
    const id = await place('complete' in fields ? stale.staff : stale.shop, pet.id, fields);
    const { Item } = await client.send(new GetCommand({ TableName: stale.tableName, Key: orderKey(id) }));
    const oldId = firstIdAt(createdAt(id) - 60 * 86_400_000);
    await client.send(new PutCommand({ TableName: stale.tableName, Item: { ...Item, ...orderKey(oldId), id: oldId } }));
    await client.send(new DeleteCommand({ TableName: stale.tableName, Key: orderKey(id) }));
    ids.push(oldId);
  }
  const stateOf = async (id: number) => {
    const { status, body } = await stale.staff('GET', `/store/orders/${id}`);
    return status === 404 ? 'canceled' : body.complete ? 'complete' : 'open';
  };
  const states = () => Promise.all(ids.map(stateOf));
  return { pet, ids, states };
};
/** Before the stage. @param meanwhile happens before the DELETE of an order; a response is returned instead of the stage's */
const front = async (meanwhile: (id: number) => Promise<ProxiedResponse | undefined> | undefined) => {
  const proxy = await startRewritingProxy(stale.url);
  onTestFinished(proxy.stop);
  proxy.rewrite = {
    request: ({ method, path, headers }) => {
      delete headers['accept-encoding'];
      return method === 'DELETE' ? meanwhile(Number(path.split('/').at(-1))) : undefined;
    },
    response: response => {
      response.body = String(response.body).replaceAll(stale.url, proxy.url);
    },
  };
  return proxy.url;
};
const aged = (url: string, ...args: string[]) => orders(url, '--cancel-older-than', '30d', ...args);

it('npm run orders -- --cancel-older-than prints open orders; --yes cancels them, but none that ships in the future or that others end', async () => {
  const [future, overdue] = [{ shipDate: '2100-01-01T00:00:00Z' }, { shipDate: '2026-01-01T00:00:00Z' }];
  const { pet, ids, states } = await oldOrders({}, overdue, future, { complete: true }, {}, {}, {}, {});
  await place(stale.shop, pet.id);
  const planned = await aged(stale.url);
  expect(planned).toMatchObject({ code: 0, err: 'Nothing was canceled. To cancel them, add --yes.\n' });
  expect(rowsOf(planned).map(([id]) => ids.indexOf(Number(id)))).toEqual([2, 7, 6, 5, 4, 1, 0]);
  expect(await states()).toEqual(['open', 'open', 'open', 'complete', 'open', 'open', 'open', 'open']);

  const change = (index: number, body: object) => stale.staff('PATCH', `/store/orders/${ids[index]}`, { body });
  const url = await front(async id => {
    if (id === ids[4]) await change(4, { complete: true });
    if (id === ids[5]) await stale.shop('DELETE', `/store/orders/${id}`);
    if (id === ids[6]) await change(6, future);
    return id === ids[7] ? { status: 500, headers: {}, body: '{}' } : undefined;
  });
  const { code, out, err } = await aged(url, '--yes');
  const counts = '2 canceled, 2 ended by others meanwhile, 1 with a new ship date in the future';
  expect([code, out.split('\n').at(-2), err]).toEqual([1, counts, expect.stringContaining('1 are still open.')]);
  const ended = ['canceled', 'canceled', 'open', 'complete', 'complete', 'canceled', 'open'];
  expect(await states()).toEqual([...ended, 'open']);
  expect(await aged(stale.url, '--yes')).toMatchObject({ code: 0 });
  expect(await states()).toEqual([...ended, 'canceled']);
  // Of nine units two are sold, and three in open orders.
  expect((await stale.staff('GET', `/store/inventory/${pet.id}`)).body.quantity).toBe(4);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { createdAt } from '../../lib/model/table/id.ts';
import { recordsIn } from '../support/catalog.ts';
import { createCategory, createPet, setQuantity, stockedPet } from '../support/fixtures.ts';
import { type Hooks, startForwarder } from '../support/forwarder.ts';
import { type Client, usePetstore } from '../support/petstore.ts';
import { runCommand } from '../support/run-command.ts';

const petstore = usePetstore();
const run = (url: string, ...args: string[]) => runAt(Date.now, url, ...args);
const runAt = (now: () => number, url: string, ...args: string[]) =>
  runCommand('cdk/commands/orders.ts', ['--local', url, ...args], {}, now);
/** @param instead can return a response in place of the stage's */
const front = async (request: Hooks['request']) => {
  const proxy = await startForwarder(petstore.url);
  onTestFinished(proxy.stop);
  proxy.hooks = {
    request: (changed, forward) => {
      delete changed.headers['accept-encoding'];
      return request?.(changed, forward);
    },
    response: changed =>
      void Object.assign(changed, { body: `${changed.body}`.replaceAll(petstore.url, proxy.url) }),
  };
  return proxy;
};
const place = async (client: Client, petId: number, fields: object = {}): Promise<number> =>
  (await client('POST', '/store/orders', { body: { petId, ...fields } })).body.id;
/** Without their first column, the time. */
const rowsOf = ({ out }: { out: string }) =>
  [...out.matchAll(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} GMT\S*\t(.*)$/gm)].map(([, row]) =>
    row!.split('\t'),
  );

it('prints the orders of a time or a pet, or open ones, or writes them to a file', async () => {
  const category = await createCategory(petstore.staff);
  const tom = await createPet(petstore.staff, category.id, { name: '=1+1, "猫"' });
  await setQuantity(petstore.staff, tom.id, 5);
  const gone = await createPet(petstore.staff, category.id);
  const sold = await place(petstore.staff, gone.id, {
    complete: true,
    shipDate: '2027-01-04T09:00:00.5Z',
  });
  expect((await petstore.staff('DELETE', `/pets/${gone.id}`)).status).toBe(204);
  const first = await place(petstore.shop, tom.id, { quantity: 3 });
  const second = await place(petstore.shop, tom.id);
  const shipped = new Date('2027-01-04T09:00:00Z')
    .toLocaleString('sv-SE', { timeZoneName: 'longOffset' })
    .replace('\u2212', '-');
  const cellsOf = (id: number, units: string) => [
    `${id}`,
    units,
    'open',
    `pet-${tom.id}`,
    tom.name,
    '',
  ];
  const ofTom = [cellsOf(second, '1'), cellsOf(first, '3')];
  const all = [...ofTom, [`${sold}`, '1', 'complete', `pet-${gone.id}`, '(deleted)', shipped]];

  const { code, out } = await run(petstore.url);
  expect([code, rowsOf({ out })]).toEqual([0, all]);
  const [, since] =
    /\nSince (\d{4}-\d\d-\d\d 00:00:00 GMT\S*): 3 orders \(2 open\), 5 units\n$/.exec(out) ?? [];
  expect(rowsOf(await run(petstore.url, '--since', since!))).toEqual(all);
  for (const args of [
    ['--open'],
    ['--pet', `${tom.id}`],
    ['--pet', `pet-${tom.id}`],
    ['--pet', tom.name],
    ['--since', '7d', '--open'],
  ])
    expect(rowsOf(await run(petstore.url, ...args)), args.join(' ')).toEqual(ofTom);
  const day = new Date(createdAt(sold)).toLocaleDateString('sv-SE');
  for (const args of [
    ['--since', '2025-01-01'],
    ['--until', day],
    ['--since', day, '--until', 'today'],
  ])
    expect(rowsOf(await run(petstore.url, ...args)), args.join(' ')).toEqual(all);
  expect((await run(petstore.url, '--until', '1d')).out).toMatch(
    /^Before [^\n]*: 0 orders \(0 open\), 0 units\n$/,
  );

  const sums = `pet-${tom.id}\t${tom.name}\t2 open orders, 4 units\nOf all times: 2 orders (2 open), 4 units`;
  for (const kind of ['csv', 'xlsx']) {
    const file = join(tempFolder('data'), `orders.${kind}`);
    expect((await run(petstore.url, '--open', '--file', file)).out).toBe(`${sums}, in ${file}\n`);
    const rows = (await recordsIn(file)).map(({ placed, ...row }) => Object.values(row));
    expect(rows).toEqual(ofTom.map(([id, ...cells]) => [`order-${id}`, ...cells]));
    if (kind === 'csv') expect(readFileSync(file, 'utf8')).toContain(`,"'=1+1, ""猫""",`);
  }
  for (const [problem, ...args] of [
    ['--file orders.xls does not end with .xlsx or .csv.', '--file', 'orders.xls'],
    ['No pet has the name "Tim".', '--pet', 'Tim'],
    ['--until 2d is no time after 1d.', '--until', '2d', '--since', '1d'],
  ])
    expect(await run(petstore.url, ...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining(problem!),
    });
  const { id: twin } = await createPet(petstore.staff, category.id, { name: tom.name });
  const candidates = [twin, tom.id].map(id => `pet-${id}\t${tom.name}\tavailable`).join('\n');
  const choose = `Choose one of these with --pet and its id:\n${candidates}`;
  await expect.poll(async () => (await run(petstore.url, '--pet', tom.name)).err).toContain(choose);
  for (const id of [first, second])
    expect((await petstore.shop('DELETE', `/store/orders/${id}`)).status).toBe(204);
});

it('reads every page and the names of all pets, and survives an outage', async () => {
  const orders = Array.from({ length: 101 }, (_, index) => ({
    id: index + 1,
    petId: index + 1,
    quantity: 1,
  }));
  let failures = 29;
  vi.spyOn(Math, 'random').mockReturnValue(0); // so attempts follow each other without a delay
  onTestFinished(() => void vi.restoreAllMocks());
  const respond = (body: object, headers = {}) => ({
    status: 200,
    headers,
    body: JSON.stringify(body),
  });
  const proxy = await front(({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    const ids = searchParams.getAll('id');
    if (pathname === '/pets')
      return ids.length > 100
        ? undefined
        : respond(ids.map(id => ({ id: +id, name: `Pet ${id}` })));
    if (pathname !== '/store/orders') return undefined;
    if (failures-- > 0)
      return { status: 503, headers: { 'retry-after': '0' }, body: '{"code":"try_again"}' };
    const link = `<${proxy.url}/store/orders?cursor=next>; rel="next"`;
    return searchParams.has('cursor')
      ? respond(orders.slice(100))
      : respond(orders.slice(0, 100), { link });
  });
  const rows = rowsOf(await run(proxy.url));
  expect(rows.map(([id, , , , name]) => [id, name])).toEqual(
    orders.map(({ id }) => [`${id}`, `Pet ${id}`]),
  );
});

it('--cancel-older-than cancels with --yes, but none that ships later or that others end', async () => {
  const aged = (url: string, ...args: string[]) =>
    runAt(() => later, url, '--cancel-older-than', '20d', ...args);
  const [future, overdue] = [
    { shipDate: '2100-01-01T00:00:00Z' },
    { shipDate: '2026-01-01T00:00:00Z' },
  ];
  const { id: petId } = await stockedPet(petstore.staff, 9);
  const ids: number[] = [];
  for (const fields of [{}, overdue, future, { complete: true }, {}, {}, {}, {}])
    ids.push(await place('complete' in fields ? petstore.staff : petstore.shop, petId, fields));
  const later = createdAt(ids.at(-1)!) + 20 * 86_400_000 + 1;
  await place(petstore.shop, petId);
  const stateOf = async (id: number) => {
    const { status, body } = await petstore.staff('GET', `/store/orders/${id}`);
    return status === 404 ? 'canceled' : body.complete ? 'complete' : 'open';
  };
  const states = () => Promise.all(ids.map(stateOf));
  const planned = await aged(petstore.url);
  expect(planned).toMatchObject({
    code: 0,
    err: 'Nothing was canceled. To cancel them, add --yes.\n',
  });
  expect(rowsOf(planned).map(([id]) => ids.indexOf(Number(id)))).toEqual([2, 7, 6, 5, 4, 1, 0]);
  expect(await states()).toEqual([
    'open',
    'open',
    'open',
    'complete',
    'open',
    'open',
    'open',
    'open',
  ]);

  const change = (index: number, body: object) =>
    petstore.staff('PATCH', `/store/orders/${ids[index]}`, { body });
  const { url } = await front(async ({ method, path }) => {
    const index = method === 'DELETE' ? ids.indexOf(Number(path.split('/').at(-1))) : -1;
    if (index === 4) await change(4, { complete: true });
    if (index === 5) await petstore.shop('DELETE', path);
    if (index === 6) await change(6, future);
    return index === 7 ? { status: 500, headers: {}, body: '{}' } : undefined;
  });
  const { code, out, err } = await aged(url, '--yes');
  const counts = '2 canceled, 2 ended by others meanwhile, 1 with a new ship date in the future';
  expect([code, out.split('\n').at(-2), err]).toEqual([
    1,
    counts,
    expect.stringContaining('1 still open.'),
  ]);
  const ended = ['canceled', 'canceled', 'open', 'complete', 'complete', 'canceled', 'open'];
  expect(await states()).toEqual([...ended, 'open']);
  expect(await aged(petstore.url, '--yes')).toMatchObject({ code: 0 });
  expect(await states()).toEqual([...ended, 'canceled']);
  // Of nine units, two were sold, and three are in open orders.
  expect((await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity).toBe(4);
});

it('prints no figure of a client that sees only its own orders', async () => {
  const { code, output } = await run(petstore.url, '--client', 'shop');
  expect([code, output]).toEqual([
    1,
    'The client "shop" lacks the scope orders.manage. Name another with --client.\n--help prints the options.\n',
  ]);
});

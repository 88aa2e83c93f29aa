import { stringify } from 'csv-stringify/sync';
import { createdAt } from '../../lib/model/table/id.ts';
import type { Order } from '../../lib/schemas/order.ts';
import { commandOf, flag, text } from '../command.ts';
import { limits } from '../config/limits.ts';
import { replaceFile } from '../files/replace-file.ts';
import { orThrow, type Petstore } from '../openapi/petstore-client.ts';
import { apiOptions, apiUsage, explain, findApi, isLocal, listAll, openPetstore } from './shared/api.ts';
import { createRateLimit } from './shared/rate-limit.ts';
import { timeOf } from './shared/time-of.ts';

const usage = `npm run orders -- [--stage NAME] [--since today|7d|DATE] [--open] [--pet ID] [--csv FILE]
npm run orders -- [--stage NAME] --cancel-older-than 30d [--yes]
Prints orders, newest first; or cancels open orders that nobody completed, so that their units can be ordered again.
The client needs the scope orders.manage.
  --since TIME     today (default; with --open or --pet: all), 7d, 12h, or a date: a day in this machine's time zone
  --open, --pet ID only open orders, or only those for this pet
  --csv FILE       writes them to a file instead; an existing file is replaced
  --cancel-older-than TIME
                   prints the open orders placed before it: 30d, 12h or a date, at least 1h ago. Those with a ship date in
                   the future stay
  --yes            cancels them, ${limits.cancelOrder.rate} a second with --stage. You can interrupt it and run it again. Exit code 1: some are still open
${apiUsage}`;

const { misused, readOptions, run } = commandOf(usage);
const own = { since: text, open: flag, pet: text, csv: text, 'cancel-older-than': text, yes: flag };
const { values } = readOptions({ ...apiOptions, ...own });
const { since, open, pet, csv, yes, 'cancel-older-than': age } = values;
if (age === undefined ? yes : since || open || pet || csv)
  misused('--cancel-older-than goes with no filter, and --yes only with --cancel-older-than.');

/** Such as `2026-11-24 09:30:00 GMT+01:00`. */
const localTime = (time: number): string => new Date(time).toLocaleString('sv-SE', { timeZoneName: 'longOffset' });

const from = since ?? (open || pet || age ? undefined : 'today');
const start = from === undefined ? undefined : timeOf(from);
const cutoff = age === undefined ? undefined : timeOf(age);
if (start !== undefined && !(start <= Date.now())) misused(`--since ${from} is no time in the past.`);
if (cutoff !== undefined && !(cutoff <= Date.now() - 3_600_000))
  misused(`--cancel-older-than ${age} is not at least one hour ago.`);

const waitFor = (id: 'listOrders' | 'listPets' | 'cancelOrder') =>
  createRateLimit(isLocal(values) ? Number.POSITIVE_INFINITY : limits[id].rate).wait;

const listOrders = (petstore: Petstore): Promise<Order[]> => {
  const [placedFrom, placedBefore] = [start, cutoff].map(time => (time ? new Date(time).toISOString() : undefined));
  const complete = open || age ? false : undefined;
  const query = { petId: pet ? Number(pet) : undefined, complete, placedFrom, placedBefore };
  return listAll(petstore, '/store/orders', query, waitFor('listOrders'));
};

const columns = ['placed', 'order', 'quantity', 'state', 'pet', 'ship date'];
const rowsOf = async (petstore: Petstore, orders: readonly Order[]) => {
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const turn = waitFor('listPets');
  const names = new Map<number, string>();
  for (let first = 0; first < ids.length; first += 100) {
    await turn();
    const params = { query: { id: ids.slice(first, first + 100) } };
    for (const { id, name } of await explain('The names of the pets', orThrow(petstore.GET('/pets', { params }))))
      names.set(id, name);
  }
  return orders.map(({ id, petId, quantity, complete, shipDate = '' }) => {
    const state = complete ? 'complete' : 'open';
    return [localTime(createdAt(id)), `${id}`, `${quantity}`, state, names.get(petId) ?? '(deleted)', shipDate];
  });
};

const total = (orders: readonly Order[]): string => {
  const units = orders.reduce((sum, { quantity }) => sum + quantity, 0);
  return `${orders.length} orders (${orders.filter(({ complete }) => !complete).length} open), ${units} units`;
};
const print = async (petstore: Petstore, title: string, orders: readonly Order[]) => {
  const rows = await rowsOf(petstore, orders);
  if (rows.length > 0) console.log([columns, ...rows].map(row => row.join('\t')).join('\n'));
  console.log(`${title}: ${total(orders)}`);
};

const shipsLater = ({ shipDate }: Pick<Order, 'shipDate'>) =>
  shipDate !== undefined && Date.parse(shipDate) > Date.now();

/** Cancels the version that it read. If the order changed in between, reads it again. */
const cancel = async (petstore: Petstore, orderId: number): Promise<'canceled' | 'ended' | 'later'> => {
  const path = { orderId };
  for (;;) {
    const read = await petstore.GET('/store/orders/{orderId}', { params: { path } });
    if (read.response.status === 404) return 'ended';
    const order = await orThrow(read);
    if (order.complete) return 'ended';
    if (shipsLater(order)) return 'later';
    const header = { 'If-Match': read.response.headers.get('ETag')! };
    const result = await petstore.DELETE('/store/orders/{orderId}', { params: { path, header } });
    if ([404, 409, 412].includes(result.response.status)) continue;
    await orThrow(result);
    return 'canceled';
  }
};

const cancelAll = async (petstore: Petstore, orders: readonly Order[]): Promise<number> => {
  const turn = waitFor('cancelOrder');
  const counts = { canceled: 0, ended: 0, later: 0, failed: 0 };
  for (const [index, { id }] of orders.entries()) {
    await turn();
    const outcome = await explain(`Order ${id}`, cancel(petstore, id)).catch(
      error => void console.error(error.message),
    );
    counts[outcome ?? 'failed'] += 1;
    if (index % 20 === 19) console.error(`${orders.length - index - 1} left`);
  }
  const { canceled, ended, later, failed } = counts;
  console.log(`${canceled} canceled, ${ended} ended by others meanwhile, ${later} with a new ship date in the future`);
  if (failed > 0) console.error(`${failed} are still open. To try again, run the same command.`);
  return failed > 0 ? 1 : 0;
};

await run(async () => {
  const petstore = await openPetstore(await findApi(values));
  const orders = await listOrders(petstore);
  if (cutoff !== undefined) {
    const [staying, ending] = [orders.filter(shipsLater), orders.filter(order => !shipsLater(order))];
    if (staying.length > 0) await print(petstore, 'They stay, because their ship date is in the future', staying);
    await print(petstore, `Open and placed before ${localTime(cutoff)}`, ending);
    return yes ? cancelAll(petstore, ending) : console.error('Nothing was canceled. To cancel them, add --yes.');
  }
  const title = start === undefined ? 'Of all times' : `Since ${localTime(start)}`;
  if (csv === undefined) return print(petstore, title, orders);
  // A spreadsheet must not evaluate the name of a pet as a formula.
  replaceFile(csv, stringify([columns, ...(await rowsOf(petstore, orders))], { bom: true, escape_formulas: true }));
  return console.log(`${title}: ${total(orders)} are in ${csv}.`);
});

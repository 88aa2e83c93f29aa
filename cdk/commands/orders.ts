import { createdAt } from '../../lib/model/table/id.ts';
import type { Order } from '../../lib/schemas/order.ts';
import {
  commandOf,
  flag,
  note,
  now,
  print,
  runMain,
  text,
  UsageError,
  type Values,
} from '../command.ts';
import { limits } from '../config/limits.ts';
import { orThrow, type Petstore } from '../openapi/petstore-client.ts';
import {
  apiOptions,
  apiUsage,
  explain,
  findApi,
  isLocal,
  listAll,
  openPetstore,
} from './shared/api.ts';
import { plural } from './shared/plural.ts';
import { createRateLimit } from './shared/rate-limit.ts';
import { isSheet, writeSheet } from './shared/sheet.ts';
import { timeOf } from './shared/time-of.ts';

const usage = `npm run orders -- [--stage NAME] [--since today|7d|DATE] [--until TIME] [--open] [--pet ID|NAME] [--file FILE]
npm run orders -- [--stage NAME] --cancel-older-than 30d [--yes]
Prints orders, newest first; or cancels open orders that nobody completed, so that their units can be ordered again.
The client needs the scope orders.manage.
  --since TIME     today (default; with a filter: all), 7d, 12h, or a date: a day in this machine's time zone
  --until TIME     only orders placed before it, or on this day at the latest
  --open           only open orders, and their units by pet
  --pet ID|NAME    only orders for this pet: pet-245137418240001, or a name that no other pet has
  --file FILE      writes them to FILE.xlsx or FILE.csv instead; an existing file is replaced
  --cancel-older-than TIME
                   prints the open orders placed before it: 30d, 12h or a date, at least 1h ago. Those with a ship
                   date in the future stay
  --yes            cancels them, ${limits.cancelOrder.rate} a second with --stage. You can interrupt it and run it again. Exit code 1: some are
                   still open
${apiUsage}`;

const options = {
  ...apiOptions,
  since: text,
  until: text,
  open: flag,
  pet: text,
  file: text,
  'cancel-older-than': text,
  yes: flag,
} as const;
type Given = Values<typeof options>;

/** Such as `2026-11-24 09:30:00 GMT+01:00`, which `--since` reads. It reads no U+2212, which sv-SE has west of Greenwich. */
const localTime = (time: number): string =>
  new Date(time).toLocaleString('sv-SE', { timeZoneName: 'longOffset' }).replace('\u2212', '-');

/** Of a day, its end. */
const endOf = (text: string): number =>
  text === 'today' || text.length === 10 ? new Date(timeOf(text)).setHours(24) : timeOf(text);

/** Milliseconds since 1970. `cutoff`: open orders that were placed before it are to be canceled. @throws {UsageError} */
const timesOf = ({ since, until, open, pet, 'cancel-older-than': age }: Given) => {
  const from = since ?? (until || open || pet || age ? undefined : 'today');
  const start = from === undefined ? undefined : timeOf(from);
  const end = until === undefined ? undefined : endOf(until);
  const cutoff = age === undefined ? undefined : timeOf(age);
  if (start !== undefined && !(start <= now()))
    throw new UsageError(`--since ${from} is no time in the past.`);
  if (end !== undefined && !(end > (start ?? 0)))
    throw new UsageError(`--until ${until} is no time after ${from ?? '1970'}.`);
  if (cutoff !== undefined && !(cutoff <= now() - 3_600_000))
    throw new UsageError(`--cancel-older-than ${age} is not at least one hour ago.`);
  return { start, end, cutoff };
};

const check = ({ since, until, open, pet, file, yes, 'cancel-older-than': age }: Given): void => {
  if (age === undefined ? yes : since || until || open || pet || file)
    throw new UsageError(
      '--cancel-older-than goes with no filter, and --yes only with --cancel-older-than.',
    );
  if (file !== undefined && !isSheet(file))
    throw new UsageError(`--file ${file} does not end with .xlsx or .csv.`);
};

/** What the functions below share: the API and the options. */
type Shop = Readonly<{ petstore: Petstore; given: Given }>;

const waitFor = ({ given }: Shop, id: 'listOrders' | 'listPets' | 'cancelOrder') =>
  createRateLimit(isLocal(given) ? Number.POSITIVE_INFINITY : limits[id].rate).wait;

/** Undefined: of all pets. @throws when no pet or several pets have the name */
const findPet = async (shop: Shop): Promise<number | undefined> => {
  const { pet } = shop.given;
  const [, id] = /^(?:pet-)?([1-9]\d{0,15})$/.exec(pet ?? '') ?? [];
  if (id !== undefined || pet === undefined) return id === undefined ? id : Number(id);
  type Found = { id: number; name: string; status: string };
  const turn = waitFor(shop, 'listPets');
  const found = await listAll<Found>(shop.petstore, '/pets', { name: pet }, turn);
  if (found.length === 1) return found[0]!.id;
  const candidates = found
    .map(({ id: petId, name, status }) => `\npet-${petId}\t${name}\t${status}`)
    .join('');
  throw new Error(
    found.length === 0
      ? `No pet has the name "${pet}".`
      : `Choose one of these with --pet and its id:${candidates}`,
  );
};

const listOrders = async (shop: Shop, from?: number, before?: number): Promise<Order[]> => {
  const [placedFrom, placedBefore] = [from, before].map(time =>
    time ? new Date(time).toISOString() : undefined,
  );
  const { open, 'cancel-older-than': age } = shop.given;
  const complete = open || age ? false : undefined;
  const query = { petId: await findPet(shop), complete, placedFrom, placedBefore };
  return listAll(shop.petstore, '/store/orders', query, waitFor(shop, 'listOrders'));
};

const columns = ['placed', 'order', 'quantity', 'state', 'pet id', 'pet', 'ship date'];
/** In files, ids are texts: a spreadsheet rounds numbers of more than 15 digits. */
const rowsOf = async (shop: Shop, orders: readonly Order[]) => {
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const turn = waitFor(shop, 'listPets');
  const names = new Map<number, string>();
  for (let first = 0; first < ids.length; first += 100) {
    await turn();
    const params = { query: { id: ids.slice(first, first + 100) } };
    const pets = orThrow(shop.petstore.GET('/pets', { params }));
    for (const { id, name } of await explain('The names of the pets', pets)) names.set(id, name);
  }
  return orders.map(({ id, petId, quantity, complete, shipDate }) => ({
    placed: localTime(createdAt(id)),
    order: shop.given.file ? `order-${id}` : `${id}`,
    quantity,
    state: complete ? 'complete' : 'open',
    'pet id': `pet-${petId}`,
    pet: names.get(petId) ?? '(deleted)',
    'ship date': shipDate ? localTime(Date.parse(shipDate)) : '',
  }));
};

const unitsOf = (orders: readonly Pick<Order, 'quantity'>[]): string =>
  plural(
    orders.reduce((sum, { quantity }) => sum + quantity, 0),
    'unit',
  );
const total = (orders: readonly Order[]): string => {
  const open = orders.filter(({ complete }) => !complete).length;
  return `${plural(orders.length, 'order')} (${open} open), ${unitsOf(orders)}`;
};
const printOrders = async (shop: Shop, title: string, orders: readonly Order[]) => {
  const { file, open } = shop.given;
  const rows = await rowsOf(shop, orders);
  if (file !== undefined) await writeSheet(file, columns, rows, 'Orders');
  else if (rows.length > 0)
    print([columns, ...rows.map(Object.values)].map(row => row.join('\t')).join('\n'));
  for (const [id, own] of open ? Map.groupBy(rows, row => row['pet id']) : [])
    print(`${id}\t${own[0]!.pet}\t${plural(own.length, 'open order')}, ${unitsOf(own)}`);
  print(`${title}: ${total(orders)}${file ? `, in ${file}` : ''}`);
};

const shipsLater = ({ shipDate }: Pick<Order, 'shipDate'>) =>
  shipDate !== undefined && Date.parse(shipDate) > now();

/** Cancels the version that it read. If the order changed in between, reads it again. */
const cancel = async (
  petstore: Petstore,
  orderId: number,
): Promise<'canceled' | 'ended' | 'later'> => {
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

const cancelAll = async (shop: Shop, orders: readonly Order[]): Promise<number> => {
  const turn = waitFor(shop, 'cancelOrder');
  const counts = { canceled: 0, ended: 0, later: 0, failed: 0 };
  for (const [index, { id }] of orders.entries()) {
    await turn();
    const outcome = await explain(`Order ${id}`, cancel(shop.petstore, id)).catch(
      error => void note(error.message),
    );
    counts[outcome ?? 'failed'] += 1;
    if (index % 20 === 19) note(`${orders.length - index - 1} left`);
  }
  const { canceled, ended, later, failed } = counts;
  print(
    `${canceled} canceled, ${ended} ended by others meanwhile, ${later} with a new ship date in the future`,
  );
  if (failed > 0) note(`${failed} still open. To try again, run the same command.`);
  return failed > 0 ? 1 : 0;
};

export const command = commandOf({ usage, options }, async given => {
  check(given);
  const { start, end, cutoff } = timesOf(given);
  const shop = { given, petstore: await openPetstore(await findApi(given), ['orders.manage']) };
  const orders = await listOrders(shop, start, end ?? cutoff);
  if (cutoff === undefined) {
    const since = start === undefined ? '' : `Since ${localTime(start)}`;
    const before = end === undefined ? '' : `${since ? ', b' : 'B'}efore ${localTime(end)}`;
    return printOrders(shop, since + before || 'Of all times', orders);
  }
  const staying = orders.filter(shipsLater);
  const ending = orders.filter(order => !shipsLater(order));
  if (staying.length > 0)
    await printOrders(shop, 'They stay, because their ship date is in the future', staying);
  await printOrders(shop, `Open and placed before ${localTime(cutoff)}`, ending);
  if (given.yes) return cancelAll(shop, ending);
  note('Nothing was canceled. To cancel them, add --yes.');
});

if (import.meta.main) await runMain(command);

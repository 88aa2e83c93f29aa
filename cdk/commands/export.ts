import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { commandOf } from '../command.ts';
import { limits } from '../config/limits.ts';
import { everyItem, orThrow } from '../openapi/petstore-client.ts';
import { columns } from './import/rows.ts';
import { apiOptions, apiUsage, checked, findApi, isLocal, openPetstore } from './shared/api.ts';
import { createRateLimit } from './shared/rate-limit.ts';

// Half the throttle of the slowest list that it reads: callers have the other half.
const defaultRate = Math.min(limits.listPets.rate, limits.listInventory.rate, limits.listCategories.rate) / 2;

const usage = `npm run export -- FILE.csv [--stage NAME] [--rate N]
Writes the catalog to a file that npm run import reads: ${columns} of each pet. Open orders and
the descriptions of categories are not in the file. A value that starts with = is written unchanged, and a spreadsheet can
evaluate it as a formula.
  FILE             an existing file is replaced
  --rate N         requests a second (default ${defaultRate}; with --local no limit)
${apiUsage}
  --help           prints this
The client needs the scope inventory.`;

const { misused, readOptions, run } = commandOf(usage);
const { values, positionals } = readOptions({ ...apiOptions, rate: { type: 'string' } }, { allowPositionals: true });
const [file = misused('Which file? npm run export -- FILE.csv')] = positionals;
if (!/\.csv$/i.test(file)) misused(`${file} does not end with .csv.`);
const rate = Number(values.rate ?? (isLocal(values) ? Number.POSITIVE_INFINITY : defaultRate));
if (!(rate > 0)) misused(`--rate ${values.rate} is not a number above 0.`);

await run(async () => {
  const petstore = await openPetstore(await findApi(values));
  const wait = createRateLimit(rate);
  const inTurn = async <T>(request: () => Promise<T>): Promise<T> => {
    await sleep(wait());
    return request();
  };
  const listOf = async <Item>(path: '/pets' | '/store/inventory' | '/pets/categories'): Promise<Item[]> => {
    const page = async (cursor?: string) => {
      const { response, ...result } = await inTurn(() =>
        petstore.GET(path, { params: { query: { limit: 100, cursor } } }),
      );
      return { response, ...(result as { data: Item[] }) };
    };
    const read = async () => {
      const items: Item[] = [];
      for await (const item of everyItem<Item>(page)) items.push(item);
      return items;
    };
    return checked(`GET ${path}`, read());
  };
  const pets = await listOf<{ id: number; categoryId: number }>('/pets');
  const inventory = await listOf<{ petId: number; status: string; quantity: number }>('/store/inventory');
  const stocks = new Map(inventory.map(({ petId, ...stock }) => [petId, stock]));
  const categories = await listOf<{ id: number; name: string }>('/pets/categories');
  const names = new Map(categories.map(({ id, name }) => [id, name]));

  // Lists are eventually consistent: a single GET has what they lack.
  const nameOf = async (categoryId: number): Promise<string> => {
    const read = () => petstore.GET('/pets/categories/{categoryId}', { params: { path: { categoryId } } });
    return (await checked(`Category ${categoryId}`, orThrow(inTurn(read)))).name;
  };
  const stockOf = async (petId: number) => {
    const stock = await inTurn(() => petstore.GET('/store/inventory/{petId}', { params: { path: { petId } } }));
    // It was deleted meanwhile.
    return stock.response.status === 404 ? undefined : checked(`The stock of pet ${petId}`, orThrow(stock));
  };
  const rows: object[] = [];
  // Oldest first, so that an import creates them in the same order.
  for (const { id, categoryId, ...fields } of pets.reverse()) {
    const stock = stocks.get(id) ?? (await stockOf(id));
    if (!stock) continue;
    const category = names.get(categoryId) ?? (await nameOf(categoryId));
    names.set(categoryId, category);
    rows.push({ ...fields, category, ...stock });
  }
  // A byte order mark makes Excel read UTF-8; the import skips it.
  writeFileSync(file, stringify(rows, { header: true, columns: [...columns], bom: true }));
  console.log(`${rows.length} pets are in ${file}.`);
});

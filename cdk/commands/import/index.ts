import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyLifetimeHours } from '../../../lib/key-lifetime.ts';
import { commandOf } from '../../command.ts';
import { limits } from '../../config/limits.ts';
import { everyItem, orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { apiOptions, apiUsage, checked, findApi, findUrl, isLocal, openPetstore } from '../shared/api.ts';
import { createStockedPet } from '../shared/create-stocked-pet.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { checkpointPathOf, openCheckpoint } from './checkpoint.ts';
import { columns, readRows } from './rows.ts';

/** Hours for which an idempotency key is valid, less one for clocks that differ. */
const keyHours = keyLifetimeHours - 1;
const usage = `npm run import -- FILE.csv [--stage NAME] [--rate N] [--dry-run] [--again]
Creates the pets of a file through the API. FILE.HOST.checkpoint has the pets that were created at the API with this host:
after an interruption, run the same command again.
  FILE             CSV with a header row: ${columns}.
                   Only name and category are required. Finds a category by its name, or creates it. A pet of several units is
                   on hold (pending) until its quantity is set. One without units is sold: set its status when it has some
  --rate N         pets a second (default ${limits.createPet.rate}: the throttle of createPet in cdk/config/limits.ts; with --local 1000)
  --dry-run        checks the file, prints how long the import takes, and sends nothing
  --again          sends pets again whose creation was interrupted more than ${keyHours} hours ago. Check first that they are missing
${apiUsage}
  --help           prints this
The client needs the scopes catalog and inventory.`;

const { misused, readOptions, run } = commandOf(usage);
const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = readOptions(
  { ...apiOptions, rate: { type: 'string' }, 'dry-run': flag, again: flag },
  { allowPositionals: true },
);
const [file = misused('Which file? npm run import -- FILE')] = positionals;
const rate = Number(values.rate ?? (isLocal(values) ? 1_000 : limits.createPet.rate));
if (!(rate > 0)) misused(`--rate ${values.rate} is not a number above 0.`);

const categoryIds = async (petstore: Petstore): Promise<Map<string, number>> => {
  const ids = new Map<string, number>();
  const page = (cursor?: string) => petstore.GET('/pets/categories', { params: { query: { limit: 100, cursor } } });
  for await (const { name, id } of everyItem(page)) if (!ids.has(name)) ids.set(name, id);
  return ids;
};

const createCategory = async (petstore: Petstore, name: string): Promise<number> => {
  // A name can be longer than a key, and can have characters that a key cannot.
  const digest = createHash('sha256').update(name).digest('base64url');
  const params = { header: { 'Idempotency-Key': `import: category ${digest}` } };
  return (
    await checked(`The category "${name}"`, orThrow(petstore.POST('/pets/categories', { body: { name }, params })))
  ).id;
};

await run(async () => {
  const rows = readRows(file);
  // A local server may have lost its data since the last run, and creates what exists only once.
  const checkpoint = isLocal(values) ? openCheckpoint() : openCheckpoint(checkpointPathOf(file, await findUrl(values)));
  const left = rows.filter(({ key }) => !checkpoint.isDone(key));
  console.log(
    `${rows.length} pets, ${rows.length - left.length} created already. The others take ${Math.ceil(left.length / rate / 60)} min.`,
  );
  const doubtful = left.filter(({ key }) => Date.now() - (checkpoint.sentAt(key) ?? Date.now()) > keyHours * 3_600_000);
  if (doubtful.length > 0 && !values.again)
    throw new Error(
      `${doubtful.length} were sent more than ${keyHours} hours ago without a response, so they may exist: ${doubtful.map(({ name, category }) => `"${name}" (${category})`).join(', ')}. Check with GET /pets?categoryId=…: add --again if they are missing, else remove their lines from the file.`,
    );
  if (values['dry-run'] || left.length === 0) return;

  const petstore = await openPetstore(await findApi(values));
  const categories = await checked('The list of categories', categoryIds(petstore));
  const wait = createRateLimit(rate);
  let created = 0;
  try {
    for (const { category, key, ...pet } of left) {
      await sleep(wait());
      const categoryId = categories.get(category) ?? (await createCategory(petstore, category));
      categories.set(category, categoryId);
      checkpoint.send(key);
      checkpoint.finish(key, await createStockedPet(petstore, { ...pet, categoryId }, key));
      created += 1;
      if (created % 100 === 0) console.error(`${left.length - created} left`);
    }
  } finally {
    if (created < left.length) console.error('To continue, run the same command again.');
  }
  console.log(`All ${rows.length} pets of ${file} exist.`);
});

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { everyItem, orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { createStockedPet } from '../shared/create-stocked-pet.ts';
import { checked } from '../shared/open-petstore.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Line } from './lines.ts';

/** Concurrent requests. */
const parallel = 8;
/** Milliseconds for which an idempotency key is valid (24 hours), less an hour for clocks that differ. */
const keyLifetime = 23 * 3_600_000;

/** Lines that were sent so long ago that sending them again could create a second pet. */
export const uncertain = (lines: readonly Line[], { sentAt }: Checkpoint): Line[] =>
  lines.filter(({ key }) => Date.now() - (sentAt(key) ?? Date.now()) > keyLifetime);

/** Category ids by name. Creates the categories that are missing. */
const categoriesOf = async (lines: readonly Line[], petstore: Petstore): Promise<Map<string, number>> => {
  const ids = new Map<string, number>();
  const page = (cursor?: string) => petstore.GET('/pets/categories', { params: { query: { limit: 100, cursor } } });
  const list = async () => {
    for await (const { name, id } of everyItem(page)) if (!ids.has(name)) ids.set(name, id);
  };
  await checked('The list of categories', list());
  for (const { category: name } of lines) {
    if (ids.has(name)) continue;
    // A name can be longer than a key, and can have characters that a key cannot.
    const digest = createHash('sha256').update(name).digest('base64url');
    const header = { 'Idempotency-Key': `import: category ${digest}` };
    const creation = orThrow(petstore.POST('/pets/categories', { body: { name }, params: { header } }));
    ids.set(name, (await checked(`The category "${name}"`, creation)).id);
  }
  return ids;
};

/**
 * Creates the pets that the checkpoint does not have.
 * @param rate pets a second, at most the throttle of createPet
 * @param onCreated called for each pet
 * @throws {Error} when the stage rejects a pet, after the requests in flight
 */
export const importPets = async (
  lines: readonly Line[],
  {
    petstore,
    checkpoint,
    rate,
    onCreated,
  }: { petstore: Petstore; checkpoint: Checkpoint; rate: number; onCreated: () => void },
): Promise<void> => {
  const missing = lines.filter(({ key }) => !checkpoint.isDone(key));
  const categories = await categoriesOf(missing, petstore);
  const create = async ({ name, category, status, quantity, key }: Line) => {
    checkpoint.send(key);
    checkpoint.finish(
      key,
      await createStockedPet(petstore, { name, categoryId: categories.get(category)!, status, quantity }, key),
    );
    onCreated();
  };

  const wait = createRateLimit(rate);
  const todo = missing.values();
  let failure: Error | undefined;
  const work = async () => {
    for (const line of todo) {
      await sleep(wait());
      if (failure) return;
      await create(line).catch(error => {
        failure = error;
      });
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if (failure) throw failure;
};

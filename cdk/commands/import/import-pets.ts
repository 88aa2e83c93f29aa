import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { everyItem, orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { createStockedPet } from '../shared/create-stocked-pet.ts';
import { checked } from '../shared/open-petstore.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import type { Journal } from './checkpoint.ts';
import type { Line } from './lines.ts';

/** Requests that wait for their answers at the same time. */
const parallel = 8;
/** For how long a key is remembered, less an hour for clocks that differ, in milliseconds (contract: 24 hours). */
const keyLifetime = 23 * 3_600_000;

/** Lines that were sent so long ago that to send them again could make a second pet of them. */
export const uncertain = (lines: readonly Line[], { sentAt }: Journal): Line[] =>
  lines.filter(({ key }) => Date.now() - (sentAt(key) ?? Date.now()) > keyLifetime);

/** Categories by name: those that the stage has, and those that are missing made. */
const categoriesOf = async (lines: readonly Line[], petstore: Petstore): Promise<Map<string, number>> => {
  const ids = new Map<string, number>();
  const page = (cursor?: string) => petstore.GET('/pets/categories', { params: { query: { limit: 100, cursor } } });
  const list = async () => {
    for await (const { name, id } of everyItem(page)) if (!ids.has(name)) ids.set(name, id);
  };
  await checked('The list of categories', list());
  for (const { category: name } of lines) {
    if (ids.has(name)) continue;
    // A name may be longer than a key, whose characters are fewer.
    const digest = createHash('sha256').update(name).digest('base64url');
    const header = { 'Idempotency-Key': `catalogue: category ${digest}` };
    const made = orThrow(petstore.POST('/pets/categories', { body: { name }, params: { header } }));
    ids.set(name, (await checked(`The category "${name}"`, made)).id);
  }
  return ids;
};

/**
 * Creates the pets of a catalogue that the journal does not have, each at its own moment: `rate` a second, which is what the
 * stage's throttle of createPet lets through.
 * @param tell is told of each pet that is there
 * @throws {Error} when the stage refuses one; what is in flight is finished first
 */
export const importCatalogue = async (
  lines: readonly Line[],
  { petstore, journal, rate, tell }: { petstore: Petstore; journal: Journal; rate: number; tell: () => void },
): Promise<void> => {
  const missing = lines.filter(({ key }) => !journal.isDone(key));
  const categories = await categoriesOf(missing, petstore);
  const create = async ({ name, category, status, quantity, key }: Line) => {
    journal.send(key);
    journal.finish(
      key,
      await createStockedPet(petstore, { name, categoryId: categories.get(category)!, status, quantity }, key),
    );
    tell();
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

import { print } from '../../command.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { Refusal } from './catalog.ts';
import type { Import } from './plan.ts';

/** Finds or creates a category. @returns in a dry run, a number below 0 for a new one @throws {Refusal} if it is not clear */
export const categoryOf = async (
  name: string,
  { petstore, catalog, checkpoint, options }: Import,
): Promise<number> => {
  const { ids } = catalog;
  const same = catalog.idsOf(name);
  if (same.length > 1)
    throw new Refusal(`the categories ${same.join(' and ')} have its name "${name}". Rename one`);
  const known = ids.get(name);
  if (known !== undefined) return known;
  print(`new category: ${name}`);
  const key = `category ${name}`;
  checkpoint.note(key, { name });
  if (options.isDryRun) catalog.addCategory(name, -1 - ids.size);
  // If the category of a key was renamed or deleted since, the next attempt uses another key.
  for (let attempt = 1; !ids.has(name); attempt++) {
    const params = { header: { 'Idempotency-Key': checkpoint.keyOf(key, attempt) } };
    const creation = petstore.POST('/pets/categories', { body: { name }, params });
    const { id } = await explain(`The category "${name}"`, orThrow(creation));
    if ((await catalog.nameOf(id)) === name) catalog.addCategory(name, id);
  }
  return ids.get(name)!;
};

import { keyLifetimeHours } from '../../../lib/key-lifetime.ts';
import { createdAt } from '../../../lib/model/table/id.ts';
import type { NewPet } from '../../../lib/schemas/pet.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { type Import, nameOf, namesakesOf, type Plan } from './plan.ts';
import { digestOf, type Row, toCell, type Values } from './rows.ts';

const hour = 3_600_000;

/** An `available` pet of several units is first `pending` with one, so nobody orders it before its quantity is set. */
const stepsOf = ({ status = 'available', quantity = status === 'sold' ? 0 : 1, ...fields }: Values) => {
  const target = status === 'available' && quantity === 0 ? 'sold' : status;
  const first = target === 'available' && Number(quantity) > 1 ? 'pending' : target;
  return { old: { ...fields, status: first, quantity: first === 'sold' ? 0 : 1 }, new: { quantity, status: target } };
};

/** Finds or creates a category. @returns 0 in a dry run, if the category does not exist */
export const categoryOf = async (name: string, { petstore, catalog, checkpoint, options }: Import): Promise<number> => {
  const { ids } = catalog;
  if (!ids.has(name)) console.log(`new category: ${name}`);
  if (!ids.has(name) && options.isDryRun) ids.set(name, 0);
  // If the category of a key was renamed or deleted since, the next attempt uses another key.
  for (let attempt = 1; !ids.has(name); attempt++) {
    const params = { header: { 'Idempotency-Key': `import: ${checkpoint.id} ${digestOf(name)} ${attempt}` } };
    const creation = petstore.POST('/pets/categories', { body: { name }, params });
    const { id } = await explain(`The category "${name}"`, orThrow(creation));
    if ((await catalog.nameOf(id)) === name) ids.set(name, id);
  }
  return ids.get(name)!;
};

/** Finds the pet of a creation that got no response, and whose idempotency key has expired. */
const lookUp = (row: Row, sent: string, { others }: Plan, { catalog }: Import): number | undefined => {
  // The clocks of the API and of this machine can differ by minutes.
  const [earliest, latest] = [-0.1, keyLifetimeHours + 0.1].map(hours => Date.parse(sent) + hours * hour);
  const isOfThen = ({ id }: { id: number }) => createdAt(id) > earliest! && createdAt(id) < latest!;
  const found = namesakesOf(row, others, catalog).filter(isOfThen);
  if (found.length > 1)
    throw new Error(
      `${nameOf(row)} was sent at ${sent} without a response, and is one of ${found.map(pet => toCell(pet.id))}. Delete the others, and run the same command again.`,
    );
  return found[0]?.id;
};

/** Creates the pet of a row, once. The checkpoint then has what is left to change. */
export const createPet = async (row: Row, plan: Plan, context: Import): Promise<void> => {
  const { petstore, checkpoint, options } = context;
  const { key, values } = row;
  const { category, quantity: _, ...fields } = values;
  const steps = stepsOf(values);
  const { id: known, sent = '' } = checkpoint.of(key);
  if (known !== undefined) return;
  const isExpired = Date.now() - Date.parse(sent) > (keyLifetimeHours - 1) * hour;
  let id = isExpired ? lookUp(row, sent, plan, context) : undefined;
  if (id === undefined) {
    const categoryId = await categoryOf(category as string, context);
    if (options.isDryRun) return;
    // A later attempt sends the same key, so the checkpoint keeps the time of the first.
    if (!sent || isExpired) checkpoint.note(key, { sent: new Date().toISOString(), categoryId });
    const params = { header: { 'Idempotency-Key': `import: ${checkpoint.id} ${key}` } };
    const post = (body: object) =>
      petstore.POST('/pets', { body: { ...fields, status: steps.old.status, ...body } as NewPet, params });
    let creation = await post({ categoryId });
    // The first attempt named another category, which was renamed or replaced since. Repeat that request.
    if (creation.error?.code === 'idempotency_key_reused')
      creation = await post({ categoryId: checkpoint.of(key).categoryId });
    ({ id } = await explain(`The pet "${fields.name}"`, orThrow(creation)));
  }
  checkpoint.note(key, { id, ...steps });
};

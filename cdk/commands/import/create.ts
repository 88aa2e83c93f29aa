import { randomUUID } from 'node:crypto';
import { keyLifetimeHours } from '../../../lib/key-lifetime.ts';
import { createdAt } from '../../../lib/model/table/id.ts';
import type { NewPet } from '../../../lib/schemas/pet.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { Refusal } from './catalog.ts';
import { type Import, nameOf, namesakesOf, type Plan } from './plan.ts';
import { cellsOf, digestOf, type Row, toCell, type Values } from './rows.ts';
import { changePet, resultOf, stateAfterAll } from './writes.ts';

const hour = 3_600_000;

/** A pet that ends `available` is created `sold` without a unit, so nobody orders it before its quantity is set. */
const stepsOf = ({
  status = 'available',
  quantity = status === 'sold' ? 0 : 1,
  ...fields
}: Values) => {
  const isSold = status === 'available' ? quantity !== 1 : status === 'sold' && quantity === 0;
  const first = isSold ? 'sold' : status === 'available' ? status : 'pending';
  const old = {
    ...fields,
    status: first,
    quantity: isSold ? 0 : 1,
    onHold: first === 'pending',
    reserved: 0,
  };
  return { from: cellsOf(old), old, new: { quantity, status } };
};

/** Finds or creates a category. @returns 0 in a dry run, if the category does not exist @throws {Refusal} if it is not clear */
export const categoryOf = async (
  name: string,
  { petstore, catalog, checkpoint, options }: Import,
): Promise<number> => {
  const { ids } = catalog;
  const same = catalog.idsOf(name);
  if (same.length > 1)
    throw new Refusal(`the categories ${same.join(' and ')} have its name "${name}". Rename one`);
  if (!ids.has(name)) console.log(`new category: ${name}`);
  if (!ids.has(name) && options.isDryRun) ids.set(name, 0);
  // If the category of a key was renamed or deleted since, the next attempt uses another key.
  for (let attempt = 1; !ids.has(name); attempt++) {
    const params = {
      header: { 'Idempotency-Key': `import: ${checkpoint.id} ${digestOf(name)} ${attempt}` },
    };
    const creation = petstore.POST('/pets/categories', { body: { name }, params });
    const { id } = await explain(`The category "${name}"`, orThrow(creation));
    if ((await catalog.nameOf(id)) === name) ids.set(name, id);
  }
  return ids.get(name)!;
};

/** Finds the pet of a creation that got no response, and whose idempotency key has expired. */
const lookUp = (
  row: Row,
  sent: string,
  { others }: Plan,
  { catalog }: Import,
): number | undefined => {
  // The clocks of the API and of this machine can differ by minutes.
  const [earliest, latest] = [-0.1, keyLifetimeHours + 0.1].map(
    hours => Date.parse(sent) + hours * hour,
  );
  const isOfThen = ({ id }: { id: number }) => createdAt(id) > earliest! && createdAt(id) < latest!;
  const found = namesakesOf(row, others, catalog).filter(
    pet => pet.name === row.values.name && isOfThen(pet),
  );
  if (found.length > 1)
    throw new Error(
      `${nameOf(row)} was sent at ${sent} without a response, and is one of ${found.map(pet => toCell(pet.id))}. Delete the others, and run the same command again.`,
    );
  return found[0]?.id;
};

/** Whether the API may have forgotten the key of a creation. @param sent empty: it was not sent */
export const isExpired = (sent: string): boolean =>
  Date.now() - Date.parse(sent) > (keyLifetimeHours - 1) * hour;

/** Sends a creation, which happens once, with the key in the checkpoint. */
export const sendCreation = (key: string, categoryId: number, { petstore, checkpoint }: Import) => {
  const { creation, old } = checkpoint.of(key);
  const { category: _, quantity: __, onHold: ___, reserved: ____, ...fields } = old!;
  const params = { header: { 'Idempotency-Key': creation! } };
  return petstore.POST('/pets', { body: { ...fields, categoryId } as NewPet, params });
};

/** Creates the pet of a row, once. The checkpoint then has what is left to change. */
const create = async (row: Row, plan: Plan, context: Import): Promise<void> => {
  const { checkpoint, options } = context;
  const { key, values } = row;
  const { id: known, sent = '' } = checkpoint.of(key);
  if (known !== undefined) return;
  let id = isExpired(sent) ? lookUp(row, sent, plan, context) : undefined;
  if (id === undefined) {
    const categoryId = await categoryOf(values.category as string, context);
    if (options.isDryRun) return;
    // A later attempt sends the same key, so the checkpoint keeps the time of the first.
    if (!sent || isExpired(sent))
      checkpoint.note(key, {
        sent: new Date().toISOString(),
        creation: randomUUID(),
        categoryId,
        ...stepsOf(values),
      });
    let creation = await sendCreation(key, categoryId, context);
    // The first attempt named another category, which was renamed or replaced since. Repeat that request.
    if (creation.error?.code === 'idempotency_key_reused')
      creation = await sendCreation(key, checkpoint.of(key).categoryId!, context);
    ({ id } = await explain(`The pet "${values.name}"`, orThrow(creation)));
  }
  checkpoint.note(key, { id });
};

/** Creates the pet of a row, sets its quantity, and prints it. @throws {Refusal} */
export const createRow = async (row: Row, plan: Plan, context: Import): Promise<'created'> => {
  const { line, key, values } = row;
  await create(row, plan, context);
  const { isDryRun } = context.options;
  const { old, new: next } = stepsOf(values);
  const state = isDryRun ? stateAfterAll(old, next) : await changePet(context, key);
  const id = context.checkpoint.of(key).id;
  const what = id === undefined ? `${values.name}: new` : `${toCell(id)} ${values.name}: created`;
  console.log(
    `line ${line}: ${what} in ${values.category}, quantity ${next.quantity}; ${resultOf(state, next.status)}`,
  );
  return 'created';
};

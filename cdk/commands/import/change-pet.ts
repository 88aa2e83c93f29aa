import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { checked, listAll } from '../shared/api.ts';
import type { Progress, Write } from './checkpoint.ts';
import type { Values } from './rows.ts';

/** A pet as rows have it, and the ETags of its two resources. */
type Stored = { readonly values: Values; readonly tags: { readonly pet: string; readonly stock: string } };

/** A row that is not imported, with the reason. */
export class Refusal extends Error {}

const tagOf = ({ headers }: Response) => headers.get('ETag')!;

/** The categories of an API by name, and its pets as rows have them. @param turn waits before each request of a list */
export const openCatalog = async (petstore: Petstore, turn?: () => Promise<unknown>) => {
  const list = await listAll<{ id: number; name: string }>(petstore, '/pets/categories', {}, turn);
  const ids = new Map(list.map(({ id, name }) => [name, id]));
  const names = new Map(list.map(({ id, name }) => [id, name]));

  /** Lists are eventually consistent: a single GET has what they lack. */
  const readName = async (categoryId: number): Promise<string> => {
    const read = await petstore.GET('/pets/categories/{categoryId}', { params: { path: { categoryId } } });
    const name = read.response.status === 404 ? '' : (await checked('A category', orThrow(read))).name;
    names.set(categoryId, name);
    return name;
  };
  const nameOf = async (categoryId: number): Promise<string> => names.get(categoryId) ?? readName(categoryId);
  /** A key whose category was renamed or deleted since gives way to another. */
  const createCategory = async (name: string, key: string, attempt = 1): Promise<number> => {
    const params = { header: { 'Idempotency-Key': `${key} ${attempt}` } };
    const creation = await petstore.POST('/pets/categories', { body: { name }, params });
    const { id } = await checked(`The category "${name}"`, orThrow(creation));
    if ((await readName(id)) !== name) return createCategory(name, key, attempt + 1);
    ids.set(name, id);
    return id;
  };

  /** Undefined: it was deleted, or is of another stage. */
  const read = async (petId: number): Promise<Stored | undefined> => {
    const [pet, stock] = await Promise.all([
      petstore.GET('/pets', { params: { query: { id: [petId] } } }),
      petstore.GET('/store/inventory/{petId}', { params: { path: { petId } } }),
    ]);
    const [found] = await checked('The pet', orThrow(pet));
    if (!found || stock.response.status === 404) return undefined;
    const { status, quantity } = await checked('Its stock', orThrow(stock));
    // Changed between the two.
    if (found.status !== status) return read(petId);
    const { id: _, categoryId, ...fields } = found;
    const values = { ...fields, category: await nameOf(categoryId), quantity };
    return { values, tags: { pet: tagOf(pet.response), stock: tagOf(stock.response) } };
  };
  return { ids, nameOf, createCategory, read };
};
export type Catalog = Awaited<ReturnType<typeof openCatalog>>;

/** The values that differ: `name "Tom" → "Kit"`. */
export const differences = (old: Values, next: Values): string[] =>
  Object.keys(next)
    .filter(name => (old[name] ?? null) !== next[name])
    .map(name => `${name} ${JSON.stringify(old[name])} → ${JSON.stringify(next[name])}`);

/**
 * What the writes set. If the pet becomes available, its quantity is set first, otherwise its status. An equal status does not put
 * the pet on hold, so the status is compared again after the quantity.
 */
const partsOf = ({ status, quantity, ...fields }: Values): Values[] => {
  const [hold, count] = [status === undefined ? {} : { status }, quantity === undefined ? {} : { quantity }];
  return status === 'available' ? [fields, count, hold] : [fields, hold, count, hold];
};

/**
 * Changes a pet by up to three writes, each on the values that the one before left. It can be interrupted and called again with
 * what was noted: a write that was sent is sent again with its key, so it happens once.
 * @param progress of the row, with `id`, `old` and `new`
 * @param note is called before and after each write
 * @throws {Refusal} when somebody else changed the pet
 */
export const changePet = async (
  petstore: Petstore,
  catalog: Catalog,
  progress: Progress,
  note: (progress: Progress) => void,
): Promise<void> => {
  const { id: petId, old, new: next } = progress as Required<Progress>;
  let { state = old, write } = progress;
  const read = async () => {
    const found = await catalog.read(petId);
    if (!found) throw new Refusal('it was deleted meanwhile');
    return found;
  };
  const refuse = (values: Values) => {
    throw new Refusal(`it was changed meanwhile: ${differences(state, values).join('; ')}`);
  };
  const send = async ({ key, etag, part: { category, ...fields } }: Write) => {
    const params = { path: { petId }, header: { 'Idempotency-Key': key, 'If-Match': etag } };
    if ('quantity' in fields)
      return petstore.PUT('/store/inventory/{petId}', { params, body: fields as { quantity: number } });
    const categoryId = category === undefined ? {} : { categoryId: catalog.ids.get(category as string) };
    return petstore.PATCH('/pets/{petId}', { params, body: { ...fields, ...categoryId } });
  };

  for (const part of partsOf(next)) {
    if (differences(state, part).length === 0) continue;
    const isResumed = isDeepStrictEqual(write?.part, part);
    if (!isResumed) {
      const { values, tags } = await read();
      if (differences(state, values).length > 0) refuse(values);
      write = { part, key: randomUUID(), etag: 'quantity' in part ? tags.stock : tags.pet };
      note({ write });
    }
    const result = await send(write!);
    const { status } = result.response;
    if (status === 404) throw new Refusal('it was deleted meanwhile');
    if (status === 409) throw new Refusal(result.error!.message);
    const current = (await (status === 412
      ? read().then(({ values }) => values)
      : checked('The change', orThrow<object>(result)))) as Values;
    // It happened before an interruption, and its key has expired.
    if (status === 412 && !(isResumed && differences(current, part).length === 0)) refuse(current);
    state = { ...state, ...part, status: current.status };
    write = undefined;
    note({ state, write: null });
  }
};

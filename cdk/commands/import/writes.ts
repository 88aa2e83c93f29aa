import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import type { Progress } from './checkpoint.ts';
import { type Import, Refusal } from './plan.ts';
import { changedCells, differences, type Values } from './rows.ts';

/** `available` is set after the quantity; any other status before it, and again after it, because the quantity can change it. */
const partsOf = ({ status, quantity, ...fields }: Values): Values[] =>
  status === 'available' ? [fields, { quantity }, { status }] : [fields, { status }, { quantity }, { status }];

/**
 * Changes a pet by up to four writes, each only if the pet has the values of the write before. The checkpoint stores each write
 * before it is sent. After an interruption, the next call sends the last one with the same idempotency key, so it happens once.
 * @param key the key of a row in the checkpoint, which has the pet's id, old values and new values
 */
export const changePet = async ({ petstore, catalog, checkpoint }: Import, key: string): Promise<void> => {
  let { id: petId, old: state, new: next, write } = checkpoint.of(key) as Required<Progress>;
  const read = async () => {
    const found = await catalog.read(petId);
    if (!found) throw new Refusal('it was deleted meanwhile');
    return found;
  };
  const refuse = (values: Values) => {
    throw new Refusal(`it was changed meanwhile: ${differences(state, values)}`);
  };
  for (const cells of partsOf(next)) {
    const part = changedCells(state, cells);
    if (Object.keys(part).length === 0) continue;
    const isResumed = isDeepStrictEqual(write?.part, part);
    if (!isResumed) {
      const { values, petTag, stockTag } = await read();
      if (differences(state, values)) refuse(values);
      write = { part, key: randomUUID(), etag: 'quantity' in part ? stockTag : petTag };
      checkpoint.note(key, { old: state, write });
    }
    const params = { path: { petId }, header: { 'Idempotency-Key': write.key, 'If-Match': write.etag } };
    const { category, quantity, ...fields } = part;
    const categoryId = catalog.ids.get(category as string);
    const result = await (quantity === undefined
      ? petstore.PATCH('/pets/{petId}', { params, body: { ...fields, ...(categoryId && { categoryId }) } })
      : petstore.PUT('/store/inventory/{petId}', { params, body: { quantity: quantity as number } }));
    const { status } = result.response;
    if (status === 409) throw new Refusal(result.error!.message);
    const isStale = status === 412 || status === 404;
    const current = isStale
      ? (await read()).values
      : ((await explain('The change', orThrow<object>(result))) as Values);
    // A resumed write can get 412 for a pet with its values: it happened and its key expired, or somebody else set them.
    if (isStale && (!isResumed || differences(current, part))) refuse(current);
    state = { ...state, ...part, status: current.status };
  }
};

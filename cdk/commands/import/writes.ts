import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { Refusal } from './catalog.ts';
import type { Progress } from './checkpoint.ts';
import type { Import } from './plan.ts';
import { cellsOf, changedCells, differences, type Values } from './rows.ts';

// A state has what the API returns of a pet, `onHold`, and if known `reserved`, its units in open orders.

/** @param want the status that staff decides; undefined: it stays */
const stockWrite = (
  { status, quantity, onHold }: Values,
  want: unknown,
  units: unknown,
): Values | undefined => {
  const count = quantity === units ? undefined : { quantity: units };
  const other = { status: status === 'sold' ? 'pending' : 'sold' };
  if (want === undefined || (want === 'available' && !onHold)) return count;
  // Without a unit, a hold ends when the pet becomes `sold`.
  if (want === 'available') return count ?? (units === 0 ? other : { status: want });
  // Units that are on sale are first put on hold. `sold` without units is no hold, so the units go first.
  if (units === 0 && count) return count;
  if (units === 0 && want === 'sold') return status === 'sold' ? undefined : { status: want };
  // An equal status puts no pet on hold.
  if (!onHold) return quantity === 0 ? other : { status: want };
  return count ?? (status === want ? undefined : { status: want });
};

/** The next write on the way from a state to a row's values. Undefined: there is none left. */
export const nextWrite = (
  state: Values,
  { status, quantity = state.quantity, ...fields }: Values,
) => {
  const cells = changedCells(state, fields);
  return Object.keys(cells).length > 0 ? cells : stockWrite(state, status, quantity);
};

const derivedStatus = ({ status, onHold, reserved }: Values, units: unknown): unknown => {
  if (onHold) return status;
  if (units !== 0) return 'available';
  return status === 'available' ? (reserved ? 'pending' : 'sold') : status;
};

/** @param status of the response; without it, it follows from the state */
export const stateAfter = (state: Values, part: Values, status?: unknown): Values => {
  const { quantity, onHold } = state;
  if ('quantity' in part)
    return { ...state, ...part, status: status ?? derivedStatus(state, part.quantity) };
  if (part.status === undefined) return { ...state, ...part };
  const hasUnits =
    quantity !== 0 || Boolean(state.reserved) || (!onHold && state.status === 'pending');
  return {
    ...state,
    ...part,
    onHold: part.status === 'pending' || (part.status === 'sold' && hasUnits),
  };
};

export const stateAfterAll = (state: Values, next: Values): Values => {
  const part = nextWrite(state, next);
  return part ? stateAfterAll(stateAfter(state, part), next) : state;
};

/** What a row ends with. @param want the status in the row */
export const resultOf = ({ status, quantity, onHold }: Values, want: unknown): string => {
  if (onHold) return `${status} (on hold)`;
  const text = quantity === 0 ? 'available with its next unit' : 'available';
  return quantity === 0 && want === 'sold'
    ? `${text}: sold is no hold without a unit, available or reserved`
    : text;
};

/**
 * Changes a pet by writes, each only if the pet has the state after the write before. The checkpoint stores each write before it
 * is sent. After an interruption, the next call sends the last one with the same idempotency key, so it happens once.
 * @param key the key of a row in the checkpoint, which has the pet's id, old state and new values
 */
export const changePet = async (
  { petstore, catalog, checkpoint }: Import,
  key: string,
): Promise<Values> => {
  let { id: petId, from, old: state, new: next, write } = checkpoint.of(key) as Required<Progress>;
  const refuse = (why: string, part: Values) => {
    const done = differences(from, cellsOf(state));
    // The quantity is one write, so after its conflict the row can start again.
    const refusal = new Refusal(`${why}${done && `; before that, the import set ${done}`}`);
    throw Object.assign(refusal, { isConflict: 'quantity' in part });
  };
  const read = async (part: Values) =>
    (await catalog.find(petId)) ?? refuse('it was deleted meanwhile', part);
  for (let part = nextWrite(state, next); part; part = nextWrite(state, next)) {
    const changed = (values: Values, isResumed = false) =>
      refuse(
        `it was changed meanwhile: ${differences(state, values, 'expected', 'now')}`,
        isResumed ? {} : part!,
      );
    const isResumed = isDeepStrictEqual(write?.part, part);
    if (!isResumed) {
      const found = await read(part);
      if (differences(state, found.state)) changed(found.state);
      write = { part, key: randomUUID(), etag: 'quantity' in part ? found.stockTag : found.petTag };
      checkpoint.note(key, { old: state, write });
    }
    const params = {
      path: { petId },
      header: { 'Idempotency-Key': write.key, 'If-Match': write.etag },
    };
    const { category, quantity, ...fields } = part;
    const categoryId = catalog.ids.get(category as string);
    const result = await (quantity === undefined
      ? petstore.PATCH('/pets/{petId}', {
          params,
          body: { ...fields, ...(categoryId && { categoryId }) },
        })
      : petstore.PUT('/store/inventory/{petId}', {
          params,
          body: { quantity: quantity as number },
        }));
    const { status } = result.response;
    if (status === 409) refuse(result.error!.message, {});
    const isStale = status === 412 || status === 404;
    const current = isStale
      ? (await read(part)).state
      : ((await explain('The change', orThrow<object>(result))) as Values);
    // A resumed write can get 412 for a pet with its values: it happened and its key expired, or somebody else set them.
    if (isStale && (!isResumed || differences(current, part))) changed(current, isResumed);
    state = stateAfter(state, part, current.status);
  }
  return state;
};

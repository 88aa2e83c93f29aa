import type * as z from 'zod/mini';
import type { NewPet } from '../../../lib/schemas/pet.ts';
import { orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { checked } from './api.ts';

export interface StockedPet extends z.input<typeof NewPet> {
  /** The available quantity; absent: the default for its status. */
  readonly quantity?: number | undefined;
}

/**
 * Creates a pet and sets its quantity. You can repeat it after an interruption, while customers order, and no unit is sold
 * twice: a pet of several units is on hold until its quantity is set, so that nobody can order it before. Only staff sets a
 * pet with available units to `pending`. So the quantity of a pet that is not `pending` was set already. An available pet
 * without units is created as `sold`, because a new available pet has one unit, which could be ordered.
 * @param key the Idempotency-Key of its creation
 * @returns its id
 */
export const createStockedPet = async (
  petstore: Petstore,
  { status = 'available', quantity, ...fields }: StockedPet,
  key: string,
): Promise<number> => {
  const isOnHold = status === 'available' && quantity !== undefined && quantity > 1;
  const initial = isOnHold ? 'pending' : status === 'available' && quantity === 0 ? 'sold' : status;
  const first = { status: initial, quantity: initial === 'sold' ? 0 : 1 } as const;
  const { name } = fields;
  const body = { ...fields, status: first.status };
  const creation = petstore.POST('/pets', { body, params: { header: { 'Idempotency-Key': key } } });
  const { id } = await checked(`The pet "${name}"`, orThrow(creation));
  if (quantity === undefined || quantity === first.quantity) return id;

  const path = { petId: id };
  const read = () => petstore.GET('/store/inventory/{petId}', { params: { path } });
  const setQuantity = (ifMatch: string) =>
    petstore.PUT('/store/inventory/{petId}', { params: { path, header: { 'If-Match': ifMatch } }, body: { quantity } });
  const isReplay = (await creation).response.headers.has('Idempotent-Replayed');
  // Nobody can order a new pet before, or its quantity is 0: it needs no ETag.
  let stock = await (isReplay ? read() : setQuantity('*'));
  // After a replay, the quantity is set unless the stock is still as created.
  while (stock.data?.status === first.status && stock.data.quantity === first.quantity) {
    const updated = await setQuantity(stock.response.headers.get('ETag') ?? '*');
    stock = updated.response.status === 412 ? await read() : updated;
  }
  // It was deleted meanwhile.
  if (isReplay && stock.response.status === 404) return id;
  const { status: current, quantity: available } = await checked(`The stock of "${name}"`, orThrow(stock));

  if (!isOnHold || current !== 'pending' || available === 0) return id;
  const released = await petstore.PATCH('/pets/{petId}', { params: { path }, body: { status: 'available' } });
  // An earlier run has released it, and all units are ordered.
  if (released.error?.code !== 'out_of_stock') await checked(`The release of "${name}"`, orThrow(released));
  return id;
};

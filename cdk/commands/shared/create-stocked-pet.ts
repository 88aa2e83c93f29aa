import type * as z from 'zod/mini';
import type { NewPet } from '../../../lib/schemas/pet.ts';
import { orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { checked } from './open-petstore.ts';

export interface StockedPet extends z.input<typeof NewPet> {
  /** Units free to sell; absent: what its status brings. */
  readonly quantity?: number | undefined;
}

/**
 * Creates a pet and counts its units. It may be cut off anywhere and done again, while customers order, and sells no unit
 * twice: a pet of several units is on hold until they are counted, so that nobody orders one before. Nobody but staff makes
 * a pet with free units `pending`, so one that is not is counted already, however few are left.
 * @param key the Idempotency-Key of its creation
 * @returns its id
 */
export const createStockedPet = async (
  petstore: Petstore,
  { name, categoryId, status = 'available', quantity }: StockedPet,
  key: string,
): Promise<number> => {
  const isHeld = status === 'available' && quantity !== undefined && quantity > 1;
  const first = { status: isHeld ? 'pending' : status, quantity: status === 'sold' ? 0 : 1 } as const;
  const body = { name, categoryId, status: first.status };
  const made = petstore.POST('/pets', { body, params: { header: { 'Idempotency-Key': key } } });
  const { id } = await checked(`The pet "${name}"`, orThrow(made));
  if (quantity === undefined || quantity === first.quantity) return id;

  const path = { petId: id };
  const read = () => petstore.GET('/store/inventory/{petId}', { params: { path } });
  const count = (ifMatch: string) =>
    petstore.PUT('/store/inventory/{petId}', { params: { path, header: { 'If-Match': ifMatch } }, body: { quantity } });
  const isReplay = (await made).response.headers.has('Idempotent-Replayed');
  // `*` lets the client retry a lost response. That sells no unit twice: nobody orders before the count, or it is 0.
  let stock = await (isReplay ? read() : count('*'));
  // A replay: it is counted, unless it still is as it was made.
  while (stock.data?.status === first.status && stock.data.quantity === first.quantity) {
    const counted = await count(stock.response.headers.get('ETag') ?? '*');
    stock = counted.response.status === 412 ? await read() : counted;
  }
  // Somebody has deleted it since.
  if (isReplay && stock.response.status === 404) return id;
  const { status: current, quantity: free } = await checked(`The stock of "${name}"`, orThrow(stock));

  if (!isHeld || current !== 'pending' || free === 0) return id;
  const released = await petstore.PATCH('/pets/{petId}', { params: { path }, body: { status: 'available' } });
  // An answer got lost, and all were ordered before the repetition.
  if (released.error?.code !== 'out_of_stock') await checked(`The release of "${name}"`, orThrow(released));
  return id;
};

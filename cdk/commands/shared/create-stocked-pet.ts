import { type Caller, checked } from './caller.ts';

interface NewPet {
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string | undefined;
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
  call: Caller,
  { name, categoryId, status = 'available', quantity }: NewPet,
  key: string,
): Promise<number> => {
  const isHeld = status === 'available' && quantity !== undefined && quantity > 1;
  const first = { status: isHeld ? 'pending' : status, quantity: status === 'sold' ? 0 : 1 };
  const pet = { name, categoryId, status: first.status };
  const made = await checked(`The pet "${name}"`, call('POST', '/pets', pet, { 'Idempotency-Key': key }));
  const { id } = made.body;
  if (quantity === undefined || quantity === first.quantity) return id;

  const path = `/store/inventory/${id}`;
  const read = () => call('GET', path);
  const count = (ifMatch?: string) => call('PUT', path, { quantity }, ifMatch ? { 'If-Match': ifMatch } : {});
  let stock = await (made.isReplay ? read() : count());
  // A replay: it is counted, unless it still is as it was made.
  while (stock.body.status === first.status && stock.body.quantity === first.quantity) {
    const counted = await count(stock.etag);
    stock = counted.status === 412 ? await read() : counted;
  }
  // Somebody has deleted it since.
  if (made.isReplay && stock.status === 404) return id;
  await checked(`The stock of "${name}"`, stock);

  if (!isHeld || stock.body.status !== 'pending' || stock.body.quantity === 0) return id;
  const released = await call('PATCH', `/pets/${id}`, { status: 'available' });
  // An answer got lost, and all were ordered before the repetition.
  if (released.body.code !== 'out_of_stock') await checked(`The release of "${name}"`, released);
  return id;
};

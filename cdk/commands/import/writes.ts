import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { type Found, Gone, type Known, Refusal, type Stock } from './catalog.ts';
import { differences, isEmpty, pick, type Values } from './cells.ts';
import type { Progress, Write } from './checkpoint.ts';
import type { Import } from './plan.ts';

/** What a pet is to get, and why it does not get the rest. */
export interface Wanted {
  readonly wanted: Values;
  readonly problem?: string | undefined;
}

/** What was written, such as `name "Tom" → "Kit"; stock 3 → 4`. */
export const textOf = async (
  { catalog }: Import,
  { before, applied }: Pick<Progress, 'before' | 'applied'>,
): Promise<string> =>
  differences(await catalog.cellsOf(before), await catalog.cellsOf(pick(applied, before)));

/** `sold` without a unit is no hold, so it ends one. */
const withoutEmptyHold = ({ onHold, values }: Found, { status, ...others }: Values): Values => {
  const isEmpty = status === 'sold' && (others.stock ?? values.stock) === 0;
  if (status === undefined || (isEmpty && !onHold)) return others;
  return { ...others, status: isEmpty ? 'available' : status };
};

/** The next write. A new hold goes before the stock, and all else after it, so that nobody can order the pet in between. */
const nextPart = ({ onHold, stock: { status } }: Found, { stock, ...fields }: Values): Values => {
  const startsHold = !onHold && (fields.status === 'pending' || fields.status === 'sold');
  // An equal status is no hold.
  if (startsHold && fields.status === status)
    return { status: status === 'sold' ? 'pending' : 'sold' };
  if (stock !== undefined && !startsHold) return { stock };
  return fields;
};

/** @param petTag for what is no stock */
const send = (
  { petstore, checkpoint }: Import,
  key: string,
  { part, before, tag }: Write,
  petTag = '',
) => {
  const { stock, ...body } = part;
  const params = {
    path: { petId: checkpoint.of(key).id! },
    // With the cells from before: another run of the same file cannot write them once more, although the units have left since.
    header: {
      'Idempotency-Key': checkpoint.keyOf(key, part, before),
      'If-Match': stock === undefined ? petTag : tag,
    },
  };
  return stock === undefined
    ? petstore.PATCH('/pets/{petId}', { params, body })
    : petstore.PUT('/store/inventory/{petId}', {
        params: { ...params, query: { units: 'stocked' } },
        body: { quantity: stock as number },
      });
};

const noteWritten = ({ checkpoint }: Import, key: string, { part, before }: Write): void =>
  checkpoint.note(key, { write: null, applied: part, before });

const refuseUnclear = async (context: Import, key: string): Promise<never> => {
  const { checkpoint, options } = context;
  const { write, isUnclear } = checkpoint.of(key);
  checkpoint.note(key, { isUnclear: true });
  const { part, before } = write!;
  const what = await textOf(context, { before, applied: part });
  const next = options.isDryRun && !isUnclear ? 'A dry run cannot find out' : 'Export again';
  throw new Refusal(`it is unclear whether ${what} was written. ${next}`);
};

/**
 * After an interruption, the checkpoint has a write without a response. An equal ETag of the stocked units says that nothing has
 * happened since it was read: the write is then planned and sent again, with the same key. With another ETag, it can only be
 * repeated, which proves that it happened, or fail; a dry run sends nothing. @throws {Refusal}
 */
export const settle = async (context: Import, key: string): Promise<void> => {
  const { catalog, checkpoint, options } = context;
  const { id, write, isUnclear } = checkpoint.of(key);
  if (!write) return;
  if (isUnclear) return refuseUnclear(context, key);
  const { part, before, tag } = write;
  const found = await catalog.find(id!, !('stock' in part));
  if (!found || found.stock.tag === tag) return checkpoint.note(key, { write: null });
  const canRepeat = 'stock' in part && !options.isDryRun;
  const repeated = canRepeat ? await send(context, key, write) : undefined;
  if (repeated && ![412, 422].includes(repeated.response.status))
    await explain('The change', orThrow<object>(repeated));
  // Sales lead to a lower stock, too.
  const isSame = !differences(found.values, part) && !(Number(part.stock) < Number(before.stock));
  if (!repeated?.response.ok && !isSame) await refuseUnclear(context, key);
  noteWritten(context, key, write);
};

type Ended = { readonly status: unknown; readonly onHold: boolean | undefined };
const holdOf = ({ onHold }: Found, { status }: Values) =>
  status === undefined ? onHold : status !== 'available';

/** Of a dry run. @throws {Refusal} as the API */
const foresee = async (id: number, found: Found, wanted: Values, { catalog }: Import) => {
  const { stock = found.stock.stock, status = found.stock.status } = wanted as Partial<Stock>;
  const reserved = await catalog.reservedOf(id, found.stock);
  if (stock < reserved)
    throw new Refusal(
      `Open orders have ${reserved} units of the pet, more than the ${stock} of this request. Complete or cancel some first.`,
    );
  const onHold = holdOf(found, wanted);
  const ofUnits = stock > reserved ? 'available' : 'sold';
  return { onHold, status: onHold ? status : ofUnits };
};

/** @returns what is known of the pet after it; without its status, if the pet was changed since it was read, and not written */
const writeOnce = async (
  context: Import,
  key: string,
  found: Found,
  write: Write,
): Promise<Known> => {
  const { checkpoint } = context;
  checkpoint.note(key, { write });
  const result = await send(context, key, write, found.pet?.tag);
  const { status } = result.response;
  if (result.error?.code === 'idempotency_key_reused') return refuseUnclear(context, key);
  if ([404, 409, 412].includes(status)) checkpoint.note(key, { write: null });
  // A new hold of others is not known.
  if (status === 412) return { onHold: found.onHold || undefined };
  if (status === 404) throw new Gone();
  if (status === 409) throw new Refusal(result.error!.message);
  const { id: _, ...data } = (await explain('The change', orThrow<object>(result))) as Values;
  noteWritten(context, key, write);
  const tag = result.response.headers.get('ETag')!;
  const onHold = holdOf(found, write.part);
  if (!('stock' in write.part)) return { pet: { fields: data, tag }, onHold };
  const stock = { stock: write.part.stock as number, status: data.status as string, tag };
  // Another status also changes the ETag of the pet.
  const pet = stock.status === found.stock.status ? found.pet : undefined;
  return { stock, pet, onHold };
};

/**
 * Writes what `plan` wants of a pet, each time on the condition that the pet is as it was read. The checkpoint notes each write
 * before it is sent, and after it. @param known what need not be read @throws {Refusal}
 */
export const changePet = async (
  context: Import,
  key: string,
  needsFields: boolean,
  plan: (found: Found) => Promise<Wanted>,
  known: Known = {},
): Promise<Ended> => {
  const { catalog, checkpoint, options } = context;
  await settle(context, key);
  const id = checkpoint.of(key).id!;
  // A row takes at most three writes, and others may change the pet meanwhile.
  for (let round = 1; round <= 8; round++) {
    const found = await catalog.find(id, needsFields, known);
    if (!found) throw new Gone();
    const { wanted: planned, problem } = await plan(found);
    const wanted = withoutEmptyHold(found, planned);
    const part = options.isDryRun ? wanted : nextPart(found, wanted);
    const write = { part, before: pick(found.values, part), tag: found.stock.tag };
    let ended: Ended = { status: found.stock.status, onHold: found.onHold };
    if (options.isDryRun) {
      ended = await foresee(id, found, wanted, context);
      noteWritten(context, key, write);
    } else if (!isEmpty(part)) {
      known = await writeOnce(context, key, found, write);
      ended = { status: known.stock?.status ?? known.pet?.fields.status, onHold: known.onHold };
    }
    const isLast = Object.keys(wanted).every(name => part[name] === wanted[name]);
    if (!isLast || ended.status === undefined) continue;
    if (problem) throw new Refusal(problem);
    return ended;
  }
  throw new Refusal('others change it all the time. Import again');
};

/** What a row ends with. @param want the status in the row */
export const resultOf = ({ status, onHold }: Ended, want: unknown): string => {
  if (onHold) return `${status} (on hold)`;
  const text = status === 'available' ? status : 'available with its next unit';
  return want === 'sold' ? `${text}: sold is no hold without a unit` : text;
};

import { orThrow } from '../../openapi/petstore-client.ts';
import { explain } from '../shared/api.ts';
import { type Found, Gone, type Known, Refusal } from './catalog.ts';
import { differences, pick, type Values } from './cells.ts';
import type { Write } from './checkpoint.ts';
import type { Import } from './plan.ts';

/** Of the checkpoint's entry `key`. */
export interface Target {
  readonly key: string;
  readonly id: number;
  readonly name: unknown;
}
/** What a pet is to get, and why it does not get the rest. */
export interface Wanted {
  readonly wanted: Values;
  readonly problem?: string | undefined;
}

/** Such as `name "Tom" → "Kit"; stock 3 → 4`. */
export const textOf = async (
  { catalog }: Import,
  { before = {}, after = {} }: { before?: Values | undefined; after?: Values | undefined },
): Promise<string> => differences(await catalog.cellsOf(before), await catalog.cellsOf(after));

/** `sold` without a unit is no hold, so it ends one. */
const withoutEmptyHold = ({ onHold, values }: Found, { status, ...others }: Values): Values => {
  const isEmpty = status === 'sold' && (others.stock ?? values.stock) === 0;
  if (status === undefined || (isEmpty && !onHold)) return others;
  return { ...others, status: isEmpty ? 'available' : status };
};

/** The next write. A new hold goes before the stock, and all else after it, so that nobody can order the pet in between. */
const nextPart = ({ onHold, stock: { status } }: Found, { stock, ...fields }: Values) => {
  const startsHold = !onHold && (fields.status === 'pending' || fields.status === 'sold');
  // An equal status is no hold.
  if (startsHold && fields.status === status)
    return { status: status === 'sold' ? 'pending' : 'sold' };
  if (stock !== undefined && !startsHold) return { stock };
  return Object.keys(fields).length > 0 ? fields : undefined;
};

/** The code of an error: another request had the same key. */
const reused = 'idempotency_key_reused';

const send = (
  { petstore, checkpoint }: Import,
  { key, id: petId }: Pick<Target, 'key' | 'id'>,
  { stock, pet }: Found,
  part: Values,
  before: Values,
) => {
  const { stock: quantity, ...body } = part;
  const params = {
    path: { petId },
    // With the cells from before: another run of the same file cannot write them once more, although the units have left since.
    header: {
      'Idempotency-Key': checkpoint.keyOf(key, part, before),
      'If-Match': (quantity === undefined ? pet! : stock).tag,
    },
  };
  return quantity === undefined
    ? petstore.PATCH('/pets/{petId}', { params, body })
    : petstore.PUT('/store/inventory/{petId}', {
        params: { ...params, query: { units: 'stocked' } },
        body: { quantity: quantity as number },
      });
};

const refuseUnclear = async (context: Import, key: string): Promise<never> => {
  context.checkpoint.note(key, { isUnclear: true });
  const { before, part } = context.checkpoint.of(key).write!;
  const what = await textOf(context, { before, after: part });
  throw new Refusal(`it is unclear whether ${what} was written. Export again`);
};

/** Whether the API repeats its response to a write, whose ETag it has no more. @throws {Error} */
const isKnown = async (
  context: Import,
  target: Pick<Target, 'key' | 'id'>,
  found: Found,
  { part, before }: Write,
): Promise<boolean> => {
  const result = await send(context, target, found, part, before);
  if (result.response.status === 412 || result.error?.code === reused) return false;
  await explain('The change', orThrow<object>(result));
  return true;
};

/**
 * After an interruption, the checkpoint has a write without a response. An equal ETag of the stocked units says that nothing has
 * happened since it was read: the write is then planned and sent again, with the same key. With another ETag, it can only be
 * repeated, which proves that it happened, or fail. @throws {Refusal}
 */
export const settle = async (context: Import, key: string): Promise<void> => {
  const { catalog, checkpoint } = context;
  const { id, write, isUnclear } = checkpoint.of(key);
  if (!write) return;
  if (isUnclear) return refuseUnclear(context, key);
  const { part, before, tag } = write;
  const found = await catalog.find(id!, !('stock' in part));
  if (!found || found.stock.tag === tag) return checkpoint.note(key, { write: null });
  const asRead = { ...found, stock: { ...found.stock, tag } };
  const isRepeated = 'stock' in part && (await isKnown(context, { key, id: id! }, asRead, write));
  // Sales lead to a lower stock, too.
  const isLower = Number(part.stock) < Number(before.stock);
  if (!isRepeated && (isLower || differences(found.values, part)))
    await refuseUnclear(context, key);
  checkpoint.note(key, { write: null, applied: part, before });
};

/** What the write will do. */
const foresee = async (
  { catalog }: Import,
  id: number,
  found: Found,
  part: Values,
  onHold: boolean,
): Promise<Known> => {
  const { stock: quantity = found.stock.stock, ...fields } = part;
  const units = quantity as number;
  const reserved = found.stock.reserved ?? (await catalog.reservedOf(id, found.stock));
  if (units < reserved)
    // As the API says it.
    throw new Refusal(
      `Open orders have ${reserved} units of the pet, more than the ${units} of this request. Complete or cancel some first.`,
    );
  const ofUnits = units > reserved ? 'available' : reserved > 0 ? 'pending' : 'sold';
  const status = onHold ? ((fields.status as string | undefined) ?? found.stock.status) : ofUnits;
  return {
    stock: { ...found.stock, stock: units, status, reserved },
    pet: found.pet && { ...found.pet, fields: { ...found.pet.fields, ...fields, status } },
  };
};

/** @returns what is known of the pet after it; undefined if the pet was changed since it was read, so that it was not written */
const writeOnce = async (
  context: Import,
  target: Target,
  found: Found,
  part: Values,
): Promise<Known | undefined> => {
  const { catalog, checkpoint, options } = context;
  const { key, id } = target;
  const before = pick(found.values, part);
  const onHold = part.status === undefined ? found.onHold : part.status !== 'available';
  const written = (known: Known) => {
    checkpoint.note(key, { write: null, applied: part, before });
    catalog.setHold(id, onHold);
    return known;
  };
  checkpoint.note(key, { id, name: target.name, write: { part, before, tag: found.stock.tag } });
  if (options.isDryRun) return written(await foresee(context, id, found, part, onHold));
  const result = await send(context, target, found, part, before);
  const { status, headers } = result.response;
  if (result.error?.code === reused) return refuseUnclear(context, key);
  if ([404, 409, 412].includes(status)) checkpoint.note(key, { write: null });
  if (status === 412) return undefined;
  if (status === 404) throw new Gone();
  if (status === 409) throw new Refusal(result.error!.message);
  const data = (await explain('The change', orThrow<object>(result))) as Values;
  const tag = headers.get('ETag')!;
  if (!('stock' in part)) {
    const { id: _, ...fields } = data;
    return written({ pet: { fields, tag } });
  }
  // Another status also changes the ETag of the pet.
  const isSame = data.status === found.stock.status;
  const stock = { stock: part.stock as number, status: data.status as string, tag };
  return written({ stock, pet: isSame ? found.pet : undefined });
};

/** In which the pet was changed between reading and writing it. */
const attempts = 5;

/**
 * Writes what `plan` wants of a pet, each time on the condition that the pet is as it was read. The checkpoint notes each write
 * before it is sent, and after it. @param known what need not be read @returns the pet's status @throws {Refusal}
 */
export const changePet = async (
  context: Import,
  target: Target,
  needsFields: boolean,
  plan: (found: Found) => Promise<Wanted>,
  known: Known = {},
): Promise<{ readonly status: unknown; readonly onHold: boolean }> => {
  const { catalog } = context;
  await settle(context, target.key);
  for (let attempt = 1; attempt <= attempts; ) {
    const found = await catalog.find(target.id, needsFields, known);
    if (!found) throw new Gone();
    const { wanted: planned, problem } = await plan(found);
    const wanted = withoutEmptyHold(found, planned);
    const part = nextPart(found, wanted);
    const after = part ? await writeOnce(context, target, found, part) : found;
    known = after ?? {};
    if (!after) attempt++;
    if (
      !after ||
      (part && Object.keys(wanted).some(name => part[name as 'status'] !== wanted[name]))
    )
      continue;
    if (problem) throw new Refusal(problem);
    const status = after.stock?.status ?? String(after.pet!.fields.status);
    return { status, onHold: await catalog.isOnHold(target.id, status) };
  }
  throw new Refusal('others change it all the time. Import again');
};

/** What a row ends with. @param want the status in the row */
export const resultOf = (
  { status, onHold }: { status: unknown; onHold: boolean },
  want: unknown,
): string => {
  if (onHold) return `${status} (on hold)`;
  const text = status === 'available' ? status : 'available with its next unit';
  return want === 'sold' ? `${text}: sold is no hold without a unit` : text;
};

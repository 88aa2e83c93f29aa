import { createdAt } from '../../../lib/model/table/id.ts';
import type { NewPet } from '../../../lib/schemas/pet.ts';
import { now, print } from '../../command.ts';
import { orThrow } from '../../openapi/petstore-client.ts';
import { explain, listAll } from '../shared/api.ts';
import { type Known, Refusal } from './catalog.ts';
import { categoryOf } from './categories.ts';
import { changedCells, isEmpty, toCell, type Values } from './cells.ts';
import { wantedOf } from './change.ts';
import { hour, isExpired, type Progress } from './checkpoint.ts';
import type { Import } from './plan.ts';
import type { Row } from './rows.ts';
import { changePet, resultOf } from './writes.ts';

/** A pet that ends `available` is created `sold` without a unit, so nobody orders it before its stock is set. */
const stepsOf = ({
  status = 'available',
  stock = status === 'sold' ? 0 : 1,
  category: _,
  ...fields
}: Values) => {
  const isNoHold = status === 'sold' && stock === 0;
  const isSold = isNoHold || (status === 'available' && stock !== 1);
  const unsold = status === 'available' ? status : 'pending';
  return {
    body: { ...fields, status: isSold ? 'sold' : unsold },
    edited: { status: isNoHold ? 'available' : status, stock },
  };
};

/** Sends a creation, which happens once. @param changes of the body that the checkpoint has */
export const sendCreation = (
  key: string,
  { petstore, checkpoint }: Import,
  changes: object = {},
) => {
  const params = { header: { 'Idempotency-Key': checkpoint.keyOf(key) } };
  const body = { ...checkpoint.of(key).body, ...changes } as NewPet;
  return petstore.POST('/pets', { body, params });
};

/** Notes what the pet has. @returns its id and fields @throws {Error} */
export const noteCreated = async (
  key: string,
  { checkpoint }: Import,
  creation: Awaited<ReturnType<typeof sendCreation>>,
) => {
  const { body = {}, name } = checkpoint.of(key);
  const { id, ...fields } = await explain(`The pet "${name}"`, orThrow(creation));
  // `sold` is no hold, because it has no unit.
  const isSold = body.status === 'sold';
  const status = isSold ? 'available' : body.status;
  checkpoint.note(key, { id, applied: { ...fields, status, stock: isSold ? 0 : 1 } });
  return { id, fields };
};

/** @throws {Refusal} with the pets that can be that of the row */
const refuseExpired = async (
  { sent, name, body }: Progress,
  { petstore, checkpoint }: Import,
): Promise<never> => {
  const ours = new Set(Array.from(checkpoint.rows.values(), ({ id }) => id));
  const namesakes = await listAll<NewPet & { id: number }>(petstore, '/pets', { name }, undefined);
  const since = namesakes.filter(
    ({ id, categoryId }) =>
      createdAt(id) > Date.parse(sent!) - hour && categoryId === body?.categoryId && !ours.has(id),
  );
  const found = since.map(({ id }) => toCell(id)).join(', ') || 'no pet';
  throw new Refusal(
    `its creation at ${sent} got no response, and it is too late to send it again. Since then, ${found} of its name came into its category. If one is that of the row, delete the row, else import it from another file`,
  );
};

/** Creates the pet of a row, once. @returns what is known of it */
const create = async (row: Row, context: Import): Promise<Known> => {
  const { checkpoint, options } = context;
  const { key, values } = row;
  const progress = checkpoint.of(key);
  const { id: known, sent } = progress;
  if (known !== undefined) return {};
  if (sent && isExpired(sent)) return refuseExpired(progress, context);
  const categoryId = await categoryOf(values.category as string, context);
  if (options.isDryRun) return {};
  const body = { ...stepsOf(values).body, categoryId };
  if (!sent) checkpoint.note(key, { sent: new Date(now()).toISOString(), name: values.name, body });
  let creation = await sendCreation(key, context, { categoryId });
  // The first attempt named another category, which was renamed or replaced since. Repeat that request.
  if (creation.error?.code === 'idempotency_key_reused')
    creation = await sendCreation(key, context);
  const { fields } = await noteCreated(key, context, creation);
  const { headers } = creation.response;
  // A repeated response is that of the first.
  if (headers.has('Idempotent-Replayed')) return {};
  return { pet: { fields, tag: headers.get('ETag')! }, onHold: body.status === 'pending' };
};

/** Creates the pet of a row, sets its stock, and prints it. @throws {Refusal} */
export const createRow = async (row: Row, context: Import): Promise<'created'> => {
  const { line, key, values } = row;
  const known = await create(row, context);
  const { edited } = stepsOf(values);
  const { id, applied } = context.checkpoint.of(key);
  const steps = { ...row, edited };
  if (id !== undefined && !isEmpty(changedCells(applied, edited)))
    await changePet(
      context,
      key,
      applied.status !== edited.status,
      found => wantedOf(steps, found, context),
      known,
    );
  const { status, stock } = edited;
  const onHold = status !== 'available';
  const ended = { status: stock === 0 && !onHold ? 'sold' : status, onHold };
  const what = id === undefined ? `${values.name}: new` : `${toCell(id)} ${values.name}: created`;
  print(
    `line ${line}: ${what} in ${values.category}, stock ${stock}; ${resultOf(ended, values.status)}`,
  );
  return 'created';
};

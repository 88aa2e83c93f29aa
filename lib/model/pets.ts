import { ApiError } from '../errors.ts';
import { foldedName } from '../folded-name.ts';
import {
  type NewPet,
  type Pet,
  type PetPatch,
  type PetStatus,
  petStatuses,
} from '../schemas/pet.ts';
import { checkOf } from './check-item.ts';
import { checkParents, parentWrites } from './parents.ts';
import { patched } from './patched.ts';
import { newPetItem, type PetItem, petItems, storedPet, toPet } from './pet-item.ts';
import { statusOfUnits } from './stock.ts';
import { getItem, getItems, type Item } from './table/calls.ts';
import { newId } from './table/id.ts';
import { petKey, petPartitions } from './table/keys.ts';
import { listItems, type Page, type PageOf, type Selection } from './table/list.ts';
import { currentItem } from './table/transact.ts';
import { type WriteOptions, type Written, writeOnce } from './table/write-once.ts';
import { deleteItem, putItem, unchanged, updateItem } from './table/writes.ts';

export interface Filters {
  readonly status?: readonly PetStatus[] | undefined;
  readonly categoryId?: number | undefined;
  /** Without other filters, because no index has the pets of one name and another filter. */
  readonly name?: string | undefined;
}

/** @throws {ApiError} `notFound` of a reference */
export const create = (pet: NewPet, { idempotency }: WriteOptions = {}): Promise<Written<Pet>> =>
  writeOnce(idempotency, undefined, async () => {
    const item = newPetItem(newId(), pet);
    const newItem = putItem(storedPet(item), 'attribute_not_exists(#pk)');
    return {
      result: toPet(item),
      writes: { newItem, ...(await parentWrites('PET', {}, pet)) },
      // If no parent is missing, the id is taken, so the next attempt generates another.
      onRejected: rejected => checkParents('PET', {}, pet, rejected),
    };
  });

/**
 * A filter with all statuses reads the unfiltered list, because a merge of one list per status could miss a pet whose status
 * changes meanwhile.
 */
export const select = ({ status, categoryId, name }: Filters): Selection => {
  if (name !== undefined) return { index: 'byName', partitions: [petPartitions({ name }).byName] };
  const statuses = status && status.length < petStatuses.length ? status : undefined;
  const [unfiltered, filtered] =
    categoryId === undefined
      ? (['all', 'byState'] as const)
      : (['byGroup', 'byGroupAndState'] as const);
  const of = (value?: PetStatus) => petPartitions({ categoryId, status: value });
  if (!statuses) return { index: unfiltered, partitions: [of()[unfiltered]] };
  return { index: filtered, partitions: statuses.map(value => of(value)[filtered]) };
};

export const list = (filters: Filters, page: Page): Promise<PageOf<Pet>> =>
  listItems(select(filters), page, toPet);

/** The pets that match, newest first. Takes up to 100 ids; a single id is read with a consistent read. */
export const findMany = async (
  ids: readonly number[],
  { status, categoryId, name }: Filters,
): Promise<Pet[]> => {
  const found =
    ids.length === 1
      ? [await find(ids[0]!)].filter(item => item !== undefined)
      : await getItems(ids.map(petKey), { consistent: false });
  return found
    .map(toPet)
    .filter(pet => name === undefined || foldedName(pet.name) === foldedName(name))
    .filter(
      pet =>
        (status?.includes(pet.status) ?? true) && (categoryId ?? pet.categoryId) === pet.categoryId,
    )
    .sort((a, b) => b.id - a.id);
};

export const find = (id: number): Promise<Item | undefined> => getItem(petKey(id));

const checked = checkOf<PetItem>('pet_not_found', toPet);

/** @throws {ApiError} pet_not_found */
export const get = async (id: number): Promise<Pet> => toPet(checked(await find(id)));

/**
 * A new status `pending` or `sold` puts the pet on hold, but not `sold` without a unit: it says what the units say. `available`
 * ends a hold: then the status follows from the units.
 */
const statusAndHold = (status: PetStatus, pet: PetItem): { status: PetStatus; onHold: boolean } => {
  if (status === pet.status) return { status, onHold: pet.onHold };
  const ofUnits = statusOfUnits(pet);
  if (status === 'available') return { status: pet.onHold ? ofUnits : status, onHold: false };
  return { status, onHold: status === 'pending' || ofUnits !== 'sold' };
};

/** A status without a hold follows from the units, which orders change without the version. */
const unitsOf: Readonly<Record<PetStatus, string>> = {
  available: ' AND #availableQuantity > :none',
  pending: ' AND #availableQuantity = :none AND #reservedQuantity > :none',
  sold: ' AND #availableQuantity = :none AND #reservedQuantity = :none',
};

/** @throws {ApiError} pet_not_found, precondition_failed, out_of_stock, `notFound` of a reference */
export const change = async (
  id: number,
  patch: PetPatch,
  { precondition, idempotency }: WriteOptions = {},
): Promise<Written<Pet>> =>
  writeOnce(idempotency, await find(id), async item => {
    const pet = checked(item, precondition);
    const before = toPet(pet);
    const requested = patched(before, patch);
    const { status, onHold } = statusAndHold(requested.status, pet);
    const next = { ...requested, status };
    if (status === 'available' && pet.status !== 'available' && pet.availableQuantity === 0) {
      // 422 takes precedence over 409, so check the parents, as the transaction below would.
      await checkParents('PET', before, next);
      throw new ApiError('out_of_stock');
    }
    const followsUnits = !onHold && (pet.onHold || status !== pet.status);
    const units = followsUnits ? unitsOf[status] : '';
    const changes = petItems.changes(pet, next, onHold !== pet.onHold ? { onHold } : {});
    if (Object.keys(changes).length === 0) return { result: before };

    return {
      result: next,
      writes: {
        pet: updateItem(petKey(id), { set: changes, add: { version: 1 } }, `${unchanged}${units}`, {
          ...pet,
          none: 0,
        }),
        ...(await parentWrites('PET', before, next)),
      },
      onRejected: async rejected => {
        const current = await currentItem(rejected.pet, petKey(id));
        // The pet has not changed, so a new parent does not exist.
        if (!rejected.pet && current?.version === pet.version)
          await checkParents('PET', before, next, rejected);
        return current;
      },
    };
  });

/** @throws {ApiError} pet_not_found, precondition_failed, pet_has_open_orders */
export const remove = async (
  id: number,
  { precondition, idempotency }: WriteOptions = {},
): Promise<Written<undefined>> =>
  writeOnce(idempotency, await find(id), async item => {
    const pet = checked(item, precondition);
    if (pet.reservedQuantity > 0)
      throw new ApiError(
        'pet_has_open_orders',
        `The pet has open orders. List them with GET /store/orders?petId=${id}&complete=false (needs petstore/orders.manage), then complete or cancel them.`,
      );
    return {
      result: undefined,
      writes: {
        pet: deleteItem(petKey(id), `${unchanged} AND #reservedQuantity = :none`, {
          ...pet,
          none: 0,
        }),
        ...(await parentWrites('PET', toPet(pet), {})),
      },
      onRejected: rejected => currentItem(rejected.pet, petKey(id)),
    };
  });

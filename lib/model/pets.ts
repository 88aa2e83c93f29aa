import { ApiError } from '../errors.ts';
import { type NewPet, type Pet, type PetPatch, type PetStatus, petStatuses } from '../schemas/pet.ts';
import * as categories from './categories.ts';
import { commit, shown } from './commit.ts';
import { createOnce } from './create-once.ts';
import { difference } from './difference.ts';
import { movedPetKeys, partitions, petIndexKeys, petKey } from './keys.ts';
import { list as listItems, type Selection } from './list.ts';
import { settle } from './settle.ts';
import { get as getItem, getMany, type Item } from './table.ts';
import type { Creation, Idempotency, Page, PageOf, Precondition } from './types.ts';
import { put, remove as removeItem, update } from './writes.ts';

/** A pet with its stock. Promise: `available` only if `free` ≥ 1. */
export interface PetItem extends Pet {
  /** Units free to sell. */
  readonly free: number;
  /** Units in open orders. */
  readonly reserved: number;
  /** Set `pending` or `sold` by staff: automation never lifts it. */
  readonly hold: boolean;
  /** Counts the changes of the representation and of the hold, not those of the stock alone. */
  readonly version: number;
}

export interface Filters {
  readonly status?: readonly PetStatus[] | undefined;
  readonly categoryId?: number | undefined;
}

const toPet = ({ id, name, categoryId, status }: Item): Pet => ({ id, name, categoryId, status });

const toItem = (pet: PetItem) => ({ ...petKey(pet.id), ...petIndexKeys(pet), ...pet });

/** A pet put up for sale has its one unit; one created `pending` or `sold` is a hold by staff, and a sold one has no unit. */
const fresh = (id: number, { name, categoryId, status = 'available' }: NewPet): PetItem => ({
  ...{ id, name, categoryId, status },
  ...{ free: status === 'sold' ? 0 : 1, reserved: 0, hold: status !== 'available', version: 1 },
});

/** @throws {ApiError} named_category_not_found, idempotency_key_reused */
export const create = (pet: NewPet, idempotency?: Idempotency): Promise<Creation<Pet>> =>
  createOnce(
    idempotency,
    id => {
      const item = fresh(id, pet);
      const writes = [put(toItem(item), 'attribute_not_exists(#pk)'), categories.countPet(pet.categoryId, 1)] as const;
      return { created: toPet(item), writes };
    },
    async ([, categoryMissing]) => (categoryMissing ? new ApiError('named_category_not_found') : undefined),
  );

/** A status only filters when it leaves one out; a walk over all must not merge by status, or a change would hide a pet. */
export const select = ({ status, categoryId }: Filters): Selection => {
  const statuses = status && status.length < petStatuses.length ? status : undefined;
  if (categoryId === undefined) {
    if (!statuses) return { index: 'all', partitions: [partitions.pets] };
    return { index: 'byState', partitions: statuses.map(partitions.petsInStatus) };
  }
  if (!statuses) return { index: 'byGroup', partitions: [partitions.petsOfCategory(categoryId)] };
  const ofCategory = (value: PetStatus) => partitions.petsOfCategoryInStatus(categoryId, value);
  return { index: 'byGroupAndState', partitions: statuses.map(ofCategory) };
};

export const list = async (filters: Filters, page: Page): Promise<PageOf<Pet>> => {
  const { items, next } = await listItems(select(filters), page);
  return { items: items.map(toPet), next };
};

/**
 * Those of up to 100 named pets that exist and match, newest first. One is read consistently, several as any list is,
 * eventually: that halves what the dearest request of all takes from the table.
 */
export const findMany = async (ids: readonly number[], { status, categoryId }: Filters): Promise<Pet[]> => {
  const [first] = ids;
  const found =
    ids.length === 1
      ? [await find(first!)].filter(item => item !== undefined)
      : await getMany(ids.map(petKey), { consistent: false });
  return found
    .map(toPet)
    .filter(pet => (status?.includes(pet.status) ?? true) && (categoryId ?? pet.categoryId) === pet.categoryId)
    .sort((a, b) => b.id - a.id);
};

export const find = (id: number): Promise<Item | undefined> => getItem(petKey(id));

/** @throws {ApiError} pet_not_found */
export const existing = (item: Item | undefined): PetItem => {
  if (!item) throw new ApiError('pet_not_found');
  return item as PetItem;
};

/** @throws {ApiError} pet_not_found */
export const get = async (id: number): Promise<Pet> => toPet(existing(await find(id)));

/** @throws {ApiError} pet_not_found, precondition_failed */
const checked = (item: Item | undefined, precondition: Precondition | undefined): PetItem => {
  const pet = existing(item);
  if (precondition && !precondition(toPet(pet))) throw new ApiError('precondition_failed');
  return pet;
};

/** A status that differs from the present one is the staff's word: a hold, or its end. The same status again says nothing. */
const edited = (
  pet: PetItem,
  { name = pet.name, categoryId = pet.categoryId, status = pet.status }: PetPatch,
): PetItem => ({
  ...pet,
  ...{ name, categoryId, status },
  hold: status === pet.status ? pet.hold : status !== 'available',
});

/**
 * Changes what staff may change; absent fields stay.
 * @throws {ApiError} pet_not_found, precondition_failed, named_category_not_found, out_of_stock
 */
export const change = async (id: number, patch: PetPatch, precondition?: Precondition): Promise<Pet> =>
  settle<Pet>(await find(id), async item => {
    const pet = checked(item, precondition);
    const next = edited(pet, patch);
    const moves = next.categoryId !== pet.categoryId;
    const returns = next.status === 'available' && pet.status !== 'available';
    if (returns && pet.free === 0) {
      // 422 comes before 409, and only the transaction below would have noticed it.
      if (moves && !(await categories.exists(next.categoryId))) throw new ApiError('named_category_not_found');
      throw new ApiError('out_of_stock');
    }
    const changes = { ...difference(pet, next), ...movedPetKeys(pet, next) };
    if (Object.keys(changes).length === 0) return { done: toPet(pet) };

    const rejections = await commit([
      update(
        petKey(id),
        { set: changes, add: { version: 1 } },
        `#version = :version${returns ? ' AND #free > :none' : ''}`,
        { ':version': pet.version, ...(returns && { ':none': 0 }) },
      ),
      ...(moves ? [categories.countPet(next.categoryId, 1), categories.countPet(pet.categoryId, -1)] : []),
    ]);
    if (!rejections) return { done: toPet(next) };
    const [changed, categoryMissing] = rejections;
    const present = await shown(changed, petKey(id));
    // The pet is as it was, so it was the category alone.
    if (!changed && categoryMissing && present?.version === pet.version) throw new ApiError('named_category_not_found');
    return { present };
  });

/** @throws {ApiError} pet_not_found, precondition_failed, pet_has_open_orders */
export const remove = async (id: number, precondition?: Precondition): Promise<void> =>
  settle(await find(id), async item => {
    const pet = checked(item, precondition);
    if (pet.reserved > 0) throw new ApiError('pet_has_open_orders');
    const rejections = await commit([
      removeItem(petKey(id), '#version = :version AND #reserved = :none', { ':version': pet.version, ':none': 0 }),
      categories.countPet(pet.categoryId, -1),
    ]);
    return rejections ? { present: await shown(rejections[0], petKey(id)) } : { done: undefined };
  });

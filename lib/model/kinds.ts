import type * as z from 'zod/mini';
import { Category } from '../schemas/category.ts';
import { InventoryItem } from '../schemas/inventory.ts';
import { maxStoredQuantity, Order } from '../schemas/order.ts';
import { Pet } from '../schemas/pet.ts';
import { categoryItems, toCategory } from './category-item.ts';
import { type Invariants, orderRules, petRules } from './item-invariants.ts';
import { orderItems, toOrder } from './order-item.ts';
import { petItems, toInventoryItem, toPet } from './pet-item.ts';
import type { Item } from './table/calls.ts';
import type { Partitions } from './table/indexes.ts';
import { idempotencySortKey } from './table/keys.ts';
import type { Stored } from './violation.ts';

/** A resource of the API that an item represents. */
export interface Resource {
  /** In the types of its events. */
  readonly noun: 'pet' | 'category' | 'inventory' | 'order';
  /** Of its subjects, without the id. */
  readonly path: string;
  readonly schema: z.ZodMiniObject;
  readonly represent: (item: Item) => object;
}

interface Kind extends Invariants {
  /** The first has the fields of the item. If there is none, changes of the item are not published. */
  readonly resources: readonly Resource[];
  /** The part whose changes the version counts. Undefined: the item has no version. */
  readonly versioned?: (item: Stored) => object;
  readonly partitionsOf: (item: Stored) => Partitions;
}

const owned = { ownerId: 'string', clientId: 'string' };

/** By sort key. */
const kinds: Readonly<Record<string, Kind>> = {
  PET: {
    resources: [
      { noun: 'pet', path: 'pets', schema: Pet, represent: toPet },
      {
        noun: 'inventory',
        path: 'store/inventory',
        schema: InventoryItem,
        represent: toInventoryItem,
      },
    ],
    versioned: pet => ({ ...toPet(pet), onHold: pet.onHold }),
    bounds: { categoryId: [1], availableQuantity: [0], reservedQuantity: [0] },
    types: { onHold: 'boolean' },
    rules: petRules,
    partitionsOf: petItems.partitionsOf,
  },
  CATEGORY: {
    resources: [
      { noun: 'category', path: 'pets/categories', schema: Category, represent: toCategory },
    ],
    versioned: toCategory,
    bounds: { petCount: [0] },
    partitionsOf: categoryItems.partitionsOf,
  },
  ORDER: {
    resources: [{ noun: 'order', path: 'store/orders', schema: Order, represent: toOrder }],
    versioned: toOrder,
    bounds: { quantity: [1, maxStoredQuantity], petId: [1] },
    types: owned,
    rules: orderRules,
    partitionsOf: orderItems.partitionsOf,
  },
  [idempotencySortKey]: {
    resources: [],
    bounds: { expiresAt: [1], writeCount: [1] },
    types: { ...owned, requestDigest: 'string' },
    partitionsOf: () => ({}),
  },
};

/** Undefined: the service does not write such items. */
export const kindOf = (sk: string): Kind | undefined =>
  Object.hasOwn(kinds, sk) ? kinds[sk] : undefined;

export const resources: readonly Resource[] = Object.values(kinds).flatMap(kind => kind.resources);

export const pathOf = (noun: string): string =>
  resources.find(resource => resource.noun === noun)!.path;

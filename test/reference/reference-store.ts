import type { Order } from '../../lib/schemas/order.ts';
import type { PetStatus } from '../../lib/schemas/pet.ts';

/** What the contract's table of pets, stock and status says, with nothing of how the service does it. */

export type Actor = 'staff' | 'shop' | 'rival';

interface Pet {
  name: string;
  categoryId: number;
  status: PetStatus;
  onHold: boolean;
  availableQuantity: number;
}

interface StoredOrder {
  ownerId: Actor;
  petId: number;
  quantity: number;
  shipDate?: string | undefined;
  complete: boolean;
}

/** A status alone for a failure, with its code; for a success the body, or a check of it when the service adds to it. */
export type Expected = {
  readonly status: number;
  readonly code?: string;
  readonly body?: unknown;
  /** Of a creation under a key: whether an earlier request had created it. */
  readonly replayed?: boolean;
};

/** Whether a representation is the one that If-Match names. */
export type Precondition = (representation: object) => boolean;

/** An idempotency key, and the request that it came with. */
export interface Keyed {
  readonly id: string;
  readonly requestDigest: string;
}

const ok = (body: unknown): Expected => ({ status: 200, body });
const gone: Expected = { status: 204 };
const error = (status: number, code: string): Expected => ({ status, code });
/** No id is given to two things. */
const taken = error(500, 'id taken');
const failed = error(412, 'precondition_failed');

const copied = <V extends object>(things: Map<number, V>) =>
  Array.from(things, ([id, thing]) => [id, { ...thing }] as const);

export class ReferenceStore {
  readonly categories: Map<number, { name: string; description?: string | undefined }>;
  readonly pets: Map<number, Pet>;
  readonly orders: Map<number, StoredOrder>;
  /** What was created under idempotency keys that are still remembered. */
  readonly keys: Map<string, { readonly requestDigest: string; readonly result: unknown }>;

  /** @param like another store, of which this becomes a copy */
  constructor(like?: ReferenceStore) {
    this.categories = new Map(like && copied(like.categories));
    this.pets = new Map(like && copied(like.pets));
    this.orders = new Map(like && copied(like.orders));
    this.keys = new Map(like?.keys);
  }

  /** Creates at most once under a key; without one, always. */
  once(key: Keyed | undefined, create: () => Expected): Expected {
    const known = key && this.keys.get(key.id);
    if (known && known.requestDigest !== key.requestDigest) return error(422, 'idempotency_key_reused');
    if (known) return { status: 201, body: known.result, replayed: true };
    const answer = create();
    if (key && answer.status === 201) this.keys.set(key.id, { requestDigest: key.requestDigest, result: answer.body });
    return answer.status === 201 ? { ...answer, replayed: false } : answer;
  }

  openUnits(petId: number): number {
    return [...this.orders.values()]
      .filter(order => order.petId === petId && !order.complete)
      .reduce((sum, { quantity }) => sum + quantity, 0);
  }

  categoryView(id: number) {
    const { name, description } = this.categories.get(id)!;
    return { id, name, ...(description !== undefined && { description }) };
  }

  petView(id: number) {
    const { name, categoryId, status } = this.pets.get(id)!;
    return { id, name, categoryId, status };
  }

  inventoryView(petId: number) {
    const { availableQuantity: free, status } = this.pets.get(petId)!;
    return { petId, quantity: free, status };
  }

  orderView(id: number): Order {
    const { petId, quantity, shipDate, complete } = this.orders.get(id)!;
    return { id, petId, quantity, ...(shipDate !== undefined && { shipDate }), complete };
  }

  /** @param id what the service called the thing, when it created it */
  createCategory(id: number, name: string, description?: string): Expected {
    if (this.categories.has(id)) return taken;
    this.categories.set(id, { name, description });
    return { status: 201, body: this.categoryView(id) };
  }

  replaceCategory(id: number, name: string, description?: string, matches?: Precondition): Expected {
    if (!this.categories.has(id)) return error(404, 'category_not_found');
    if (matches && !matches(this.categoryView(id))) return failed;
    this.categories.set(id, { name, description });
    return ok(this.categoryView(id));
  }

  deleteCategory(id: number, matches?: Precondition): Expected {
    if (!this.categories.has(id)) return error(404, 'category_not_found');
    if (matches && !matches(this.categoryView(id))) return failed;
    if ([...this.pets.values()].some(pet => pet.categoryId === id)) return error(409, 'category_in_use');
    this.categories.delete(id);
    return gone;
  }

  createPet(id: number, name: string, categoryId: number, status: PetStatus = 'available'): Expected {
    if (!this.categories.has(categoryId)) return error(422, 'category_not_found');
    if (this.pets.has(id)) return taken;
    this.pets.set(id, {
      name,
      categoryId,
      status,
      onHold: status !== 'available',
      availableQuantity: status === 'sold' ? 0 : 1,
    });
    return { status: 201, body: this.petView(id) };
  }

  changePet(
    id: number,
    { name, categoryId, status }: Partial<Pick<Pet, 'name' | 'categoryId' | 'status'>>,
    matches?: Precondition,
  ): Expected {
    const pet = this.pets.get(id);
    if (!pet) return error(404, 'pet_not_found');
    if (matches && !matches(this.petView(id))) return failed;
    if (categoryId !== undefined && !this.categories.has(categoryId)) return error(422, 'category_not_found');
    if (status === 'available' && pet.status !== 'available' && pet.availableQuantity === 0)
      return error(409, 'out_of_stock');
    if (status !== undefined && status !== pet.status) Object.assign(pet, { status, onHold: status !== 'available' });
    Object.assign(pet, { name: name ?? pet.name, categoryId: categoryId ?? pet.categoryId });
    return ok(this.petView(id));
  }

  deletePet(id: number, matches?: Precondition): Expected {
    if (!this.pets.has(id)) return error(404, 'pet_not_found');
    if (matches && !matches(this.petView(id))) return failed;
    if (this.openUnits(id) > 0) return error(409, 'pet_has_open_orders');
    this.pets.delete(id);
    return gone;
  }

  setInventory(petId: number, quantity: number, matches?: Precondition): Expected {
    const pet = this.pets.get(petId);
    if (!pet) return error(404, 'pet_not_found');
    if (matches && !matches(this.inventoryView(petId))) return failed;
    pet.availableQuantity = quantity;
    if (!pet.onHold) {
      if (quantity > 0) pet.status = 'available';
      else if (pet.status === 'available') pet.status = this.openUnits(petId) > 0 ? 'pending' : 'sold';
    }
    return ok(this.inventoryView(petId));
  }

  placeOrder(actor: Actor, answered: Order, petId: number, quantity: number, complete: boolean): Expected {
    if (complete && actor !== 'staff') return error(403, 'forbidden');
    const pet = this.pets.get(petId);
    if (!pet) return error(422, 'pet_not_found');
    if (pet.status !== 'available') return error(409, 'pet_not_available');
    if (pet.availableQuantity < quantity) return error(409, 'insufficient_stock');
    if (this.orders.has(answered.id)) return taken;
    pet.availableQuantity -= quantity;
    this.orders.set(answered.id, {
      ownerId: actor,
      petId,
      quantity,
      complete,
      ...(complete && { shipDate: answered.shipDate }),
    });
    if (pet.availableQuantity === 0) pet.status = complete && this.openUnits(petId) === 0 ? 'sold' : 'pending';
    return { status: 201, body: this.orderView(answered.id) };
  }

  private visible(actor: Actor, id: number): StoredOrder | undefined {
    const order = this.orders.get(id);
    return order && (actor === 'staff' || order.ownerId === actor) ? order : undefined;
  }

  getOrder(actor: Actor, id: number): Expected {
    return this.visible(actor, id) ? ok(this.orderView(id)) : error(404, 'order_not_found');
  }

  updateOrder(
    actor: Actor,
    answered: Order,
    id: number,
    patch: { shipDate?: string | null; complete?: boolean },
    matches?: Precondition,
  ): Expected {
    if (actor !== 'staff') return error(403, 'forbidden');
    const order = this.orders.get(id);
    if (!order) return error(404, 'order_not_found');
    if (matches && !matches(this.orderView(id))) return failed;
    if (order.complete) {
      const changesDate =
        patch.shipDate === null
          ? patch.complete !== true
          : patch.shipDate !== undefined && Date.parse(patch.shipDate) !== Date.parse(order.shipDate ?? '');
      return patch.complete === false || changesDate ? error(409, 'order_complete') : ok(this.orderView(id));
    }
    if (patch.shipDate !== undefined) order.shipDate = patch.shipDate ?? undefined;
    if (patch.complete) {
      order.complete = true;
      order.shipDate ??= answered.shipDate;
      const pet = this.pets.get(order.petId)!;
      if (pet.availableQuantity === 0 && this.openUnits(order.petId) === 0 && !pet.onHold) pet.status = 'sold';
    }
    return ok(this.orderView(id));
  }

  cancelOrder(actor: Actor, id: number, matches?: Precondition): Expected {
    const order = this.visible(actor, id);
    if (!order) return error(404, 'order_not_found');
    if (matches && !matches(this.orderView(id))) return failed;
    if (order.complete) return error(409, 'order_complete');
    this.orders.delete(id);
    const pet = this.pets.get(order.petId)!;
    pet.availableQuantity += order.quantity;
    if (!pet.onHold) pet.status = 'available';
    return gone;
  }
}

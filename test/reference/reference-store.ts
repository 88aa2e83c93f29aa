import type { Order } from '../../lib/schemas/order.ts';
import type { PetStatus } from '../../lib/schemas/pet.ts';

/** The reference model of the contract: pets, inventory, orders and status, independent of the implementation. */

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

/** The status and code of an error, or the body of a success. */
export type Expected = {
  readonly status: number;
  readonly code?: string;
  readonly body?: unknown;
  /** Of a write that can have an idempotency key: whether this is the response to an earlier request. */
  readonly replayed?: boolean;
};

/** Whether If-Match matches a representation. */
export type Precondition = (representation: object) => boolean;

/** An idempotency key and the digest of its request. */
export interface IdempotencyKey {
  readonly id: string;
  readonly requestDigest: string;
}

const ok = (body: unknown): Expected => ({ status: 200, body });
const noContent: Expected = { status: 204 };
const error = (status: number, code: string): Expected => ({ status, code });
/** Ids are unique. */
const duplicateId = error(500, 'id taken');
const preconditionFailed = error(412, 'precondition_failed');

const copyOf = <V extends object>(resources: Map<number, V>) =>
  Array.from(resources, ([id, resource]) => [id, { ...resource }] as const);

export class ReferenceStore {
  readonly categories: Map<number, { name: string; description?: string | undefined }>;
  readonly pets: Map<number, Pet>;
  readonly orders: Map<number, StoredOrder>;
  /** The idempotency records that have not expired. */
  readonly keys: Map<string, { readonly requestDigest: string; readonly response: Expected }>;

  /** @param like the store to copy */
  constructor(like?: ReferenceStore) {
    this.categories = new Map(like && copyOf(like.categories));
    this.pets = new Map(like && copyOf(like.pets));
    this.orders = new Map(like && copyOf(like.orders));
    this.keys = new Map(like?.keys);
  }

  /** Writes at most once per idempotency key. Errors are not recorded. */
  once(key: IdempotencyKey | undefined, write: () => Expected): Expected {
    const known = key && this.keys.get(key.id);
    if (known && known.requestDigest !== key.requestDigest) return error(422, 'idempotency_key_reused');
    if (known) return { ...known.response, replayed: true };
    const response = write();
    if (response.code) return response;
    if (key) this.keys.set(key.id, { requestDigest: key.requestDigest, response });
    return { ...response, replayed: false };
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
    const { availableQuantity, status } = this.pets.get(petId)!;
    return { petId, quantity: availableQuantity, status };
  }

  orderView(id: number): Order {
    const { petId, quantity, shipDate, complete } = this.orders.get(id)!;
    return { id, petId, quantity, ...(shipDate !== undefined && { shipDate }), complete };
  }

  /** @param id that the service generated */
  createCategory(id: number, name: string, description?: string): Expected {
    if (this.categories.has(id)) return duplicateId;
    this.categories.set(id, { name, description });
    return { status: 201, body: this.categoryView(id) };
  }

  replaceCategory(id: number, name: string, description?: string, matches?: Precondition): Expected {
    if (!this.categories.has(id)) return error(404, 'category_not_found');
    if (matches && !matches(this.categoryView(id))) return preconditionFailed;
    this.categories.set(id, { name, description });
    return ok(this.categoryView(id));
  }

  deleteCategory(id: number, matches?: Precondition): Expected {
    if (!this.categories.has(id)) return error(404, 'category_not_found');
    if (matches && !matches(this.categoryView(id))) return preconditionFailed;
    if ([...this.pets.values()].some(pet => pet.categoryId === id)) return error(409, 'category_in_use');
    this.categories.delete(id);
    return noContent;
  }

  createPet(id: number, name: string, categoryId: number, status: PetStatus = 'available'): Expected {
    if (!this.categories.has(categoryId)) return error(422, 'category_not_found');
    if (this.pets.has(id)) return duplicateId;
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
    if (matches && !matches(this.petView(id))) return preconditionFailed;
    if (categoryId !== undefined && !this.categories.has(categoryId)) return error(422, 'category_not_found');
    if (status === 'available' && pet.status !== 'available' && pet.availableQuantity === 0)
      return error(409, 'out_of_stock');
    if (status !== undefined && status !== pet.status) Object.assign(pet, { status, onHold: status !== 'available' });
    Object.assign(pet, { name: name ?? pet.name, categoryId: categoryId ?? pet.categoryId });
    return ok(this.petView(id));
  }

  deletePet(id: number, matches?: Precondition): Expected {
    if (!this.pets.has(id)) return error(404, 'pet_not_found');
    if (matches && !matches(this.petView(id))) return preconditionFailed;
    if (this.openUnits(id) > 0) return error(409, 'pet_has_open_orders');
    this.pets.delete(id);
    return noContent;
  }

  setInventory(petId: number, quantity: number, matches?: Precondition): Expected {
    const pet = this.pets.get(petId);
    if (!pet) return error(404, 'pet_not_found');
    if (matches && !matches(this.inventoryView(petId))) return preconditionFailed;
    pet.availableQuantity = quantity;
    if (!pet.onHold) {
      if (quantity > 0) pet.status = 'available';
      else if (pet.status === 'available') pet.status = this.openUnits(petId) > 0 ? 'pending' : 'sold';
    }
    return ok(this.inventoryView(petId));
  }

  placeOrder(actor: Actor, response: Order, petId: number, quantity: number, complete: boolean): Expected {
    if (complete && actor !== 'staff') return error(403, 'forbidden');
    const pet = this.pets.get(petId);
    if (!pet) return error(422, 'pet_not_found');
    if (pet.status !== 'available') return error(409, 'pet_not_available');
    if (pet.availableQuantity < quantity) return error(409, 'insufficient_stock');
    if (this.orders.has(response.id)) return duplicateId;
    pet.availableQuantity -= quantity;
    this.orders.set(response.id, {
      ownerId: actor,
      petId,
      quantity,
      complete,
      ...(complete && { shipDate: response.shipDate }),
    });
    if (pet.availableQuantity === 0) pet.status = complete && this.openUnits(petId) === 0 ? 'sold' : 'pending';
    return { status: 201, body: this.orderView(response.id) };
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
    response: Order,
    id: number,
    patch: { shipDate?: string | null; complete?: boolean },
    matches?: Precondition,
  ): Expected {
    if (actor !== 'staff') return error(403, 'forbidden');
    const order = this.orders.get(id);
    if (!order) return error(404, 'order_not_found');
    if (matches && !matches(this.orderView(id))) return preconditionFailed;
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
      order.shipDate ??= response.shipDate;
      const pet = this.pets.get(order.petId)!;
      if (pet.availableQuantity === 0 && this.openUnits(order.petId) === 0 && !pet.onHold) pet.status = 'sold';
    }
    return ok(this.orderView(id));
  }

  cancelOrder(actor: Actor, id: number, matches?: Precondition): Expected {
    const order = this.visible(actor, id);
    if (!order) return error(404, 'order_not_found');
    if (matches && !matches(this.orderView(id))) return preconditionFailed;
    if (order.complete) return error(409, 'order_complete');
    this.orders.delete(id);
    const pet = this.pets.get(order.petId)!;
    pet.availableQuantity += order.quantity;
    if (!pet.onHold) pet.status = 'available';
    return noContent;
  }

  /** What an operator does to an order of an owner. An open order returns its units. */
  eraseOrder(owner: Actor, id: number): Expected {
    if (this.orders.get(id)?.ownerId !== owner) return error(404, 'order_not_found');
    if (!this.orders.get(id)!.complete) return this.cancelOrder(owner, id);
    this.orders.delete(id);
    return noContent;
  }

  moveOrder(owner: Actor, next: Actor, id: number): Expected {
    const order = this.orders.get(id);
    if (order?.ownerId !== owner) return error(404, 'order_not_found');
    order.ownerId = next;
    return noContent;
  }
}

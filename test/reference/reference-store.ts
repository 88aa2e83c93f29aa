import { isDeepStrictEqual } from 'node:util';
import { references } from '../../lib/model/references.ts';
import type { Units } from '../../lib/schemas/inventory.ts';
import type { PetStatus } from '../../lib/schemas/pet.ts';
import {
  type Noun,
  nounOf,
  type SimpleResource,
  type StoredNoun,
  storedNouns,
} from '../support/resources.ts';

/** A simple implementation of the contract. It shares no code with lib/model, but the table of references. */

export type Actor = 'staff' | 'shop' | 'rival';

/** What callers set. The rules read some fields by name; all others are stored as they were sent. */
interface Fields {
  readonly [field: string]: unknown;
}

interface Pet extends Fields {
  readonly categoryId: number;
  readonly status: PetStatus;
  readonly onHold: boolean;
  readonly availableQuantity: number;
}

interface StoredOrder extends Fields {
  readonly ownerId: Actor;
  readonly petId: number;
  readonly quantity: number;
  readonly shipDate?: string;
  readonly complete: boolean;
}

/** Creates or replaces a pet. */
type PetBody = Fields & { readonly categoryId: number; readonly status?: PetStatus | undefined };
type OrderBody = Fields & Pick<StoredOrder, 'petId' | 'quantity' | 'complete'>;

/** Status and code of an error, or status and body of a success. */
export type Expected = {
  readonly status: number;
  readonly code?: string;
  readonly body?: unknown;
  /** The write returned the recorded response of an earlier request with the same key. */
  readonly replayed?: boolean;
};

/** Whether If-Match matches a representation. */
export type Precondition = (representation: object) => boolean;

export interface IdempotencyKey {
  readonly id: string;
  readonly requestDigest: string;
}

const ok = (body: unknown): Expected => ({ status: 200, body });
const noContent: Expected = { status: 204 };
const error = (status: number, code: string): Expected => ({ status, code });
/** A defect: the service has generated the same id twice. */
const duplicateId = error(500, 'id taken');
const preconditionFailed = error(412, 'precondition_failed');

/** A merge patch (RFC 7396): `null` removes a field, and an absent field stays. */
const merged = <V extends Fields>(fields: V, patch: Fields): V => {
  const result: Record<string, unknown> = { ...fields };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = value;
  }
  return result as V;
};

/** In UTC without a fraction. `null` and an absent date stay. */
const inUtc = (date: unknown) =>
  date ? new Date(String(date)).toISOString().replace('.000Z', 'Z') : date;

export class ReferenceStore {
  readonly items: Readonly<Record<StoredNoun, Map<number, Fields>>>;
  /** By pet: what If-Match of its stocked units also covers. */
  readonly versions: Map<number, number>;
  /** Those that have not expired. */
  readonly keys: Map<string, { readonly requestDigest: string; readonly response: Expected }>;

  /** @param like the store to copy */
  constructor(like?: ReferenceStore) {
    this.items = Object.fromEntries(
      storedNouns.map(noun => [noun, new Map(like?.items[noun])]),
    ) as typeof this.items;
    this.versions = new Map(like?.versions);
    this.keys = new Map(like?.keys);
  }

  get pets() {
    return this.items.pet as Map<number, Pet>;
  }

  get orders() {
    return this.items.order as Map<number, StoredOrder>;
  }

  /** Executes a write at most once per idempotency key. An error is not recorded. */
  once(key: IdempotencyKey | undefined, write: () => Expected): Expected {
    const known = key && this.keys.get(key.id);
    if (known && known.requestDigest !== key.requestDigest)
      return error(422, 'idempotency_key_reused');
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

  /** What the API returns. */
  view(noun: Noun, id: number): Fields {
    if (noun === 'inventory') return this.inventoryView(id);
    const { ownerId, onHold, availableQuantity, ...fields } = this.items[noun].get(id) ?? {};
    return { id, ...fields };
  }

  inventoryView(petId: number, units?: Units) {
    const { availableQuantity, status } = this.pets.get(petId)!;
    const stock = { petId, quantity: availableQuantity, status };
    if (!units) return stock;
    const quantity = availableQuantity + this.openUnits(petId);
    return { ...stock, quantity, version: this.versions.get(petId) };
  }

  private change<V extends Fields>(resources: Map<number, V>, id: number, patch: Fields) {
    resources.set(id, merged(resources.get(id)!, patch));
  }

  /** Staff or an order changes more than the quantities. */
  private changePetItem(id: number, patch: Fields) {
    const { availableQuantity, ...before } = this.pets.get(id)!;
    this.change(this.pets, id, patch);
    const { availableQuantity: _, ...after } = this.pets.get(id)!;
    if (!isDeepStrictEqual(before, after)) this.countVersion(id);
  }

  private countVersion(id: number) {
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
  }

  /** @param id the id that the service generated */
  create(noun: SimpleResource['noun'], id: number, fields: Fields): Expected {
    const missing = this.missingParent(noun.toUpperCase(), fields);
    if (missing) return missing;
    if (this.items[noun].has(id)) return duplicateId;
    this.items[noun].set(id, merged({}, fields));
    return { status: 201, body: this.view(noun, id) };
  }

  replace(
    noun: SimpleResource['noun'],
    id: number,
    fields: Fields,
    matches?: Precondition,
  ): Expected {
    if (!this.items[noun].has(id)) return error(404, `${noun}_not_found`);
    if (matches && !matches(this.view(noun, id))) return preconditionFailed;
    const missing = this.missingParent(noun.toUpperCase(), fields);
    if (missing) return missing;
    this.items[noun].set(id, merged({}, fields));
    return ok(this.view(noun, id));
  }

  remove(noun: SimpleResource['noun'], id: number, matches?: Precondition): Expected {
    if (!this.items[noun].has(id)) return error(404, `${noun}_not_found`);
    if (matches && !matches(this.view(noun, id))) return preconditionFailed;
    for (const { kind, field, parent, counter } of references)
      if (
        counter &&
        nounOf(parent) === noun &&
        [...this.items[nounOf(kind)].values()].some(item => item[field] === id)
      )
        return error(409, `${noun}_in_use`);
    this.items[noun].delete(id);
    return noContent;
  }

  private missingParent(kind: string, fields: Fields): Expected | undefined {
    const missing = references.find(({ kind: of, field, parent }) => {
      const id = fields[field] as number | null | undefined;
      return of === kind && id != null && !this.items[nounOf(parent)].has(id);
    });
    return missing && error(422, `${nounOf(missing.parent)}_not_found`);
  }

  createPet(id: number, { status = 'available', ...fields }: PetBody): Expected {
    const missing = this.missingParent('PET', fields);
    if (missing) return missing;
    if (this.pets.has(id)) return duplicateId;
    const stock = { onHold: status === 'pending', availableQuantity: status === 'sold' ? 0 : 1 };
    this.pets.set(id, { ...fields, status, ...stock });
    this.countVersion(id);
    return { status: 201, body: this.view('pet', id) };
  }

  replacePet(id: number, fields: PetBody, matches?: Precondition): Expected {
    const { id: _, status, ...current } = this.pets.has(id) ? this.view('pet', id) : {};
    const removed = Object.fromEntries(Object.keys(current).map(name => [name, null]));
    return this.changePet(id, { ...removed, ...fields }, matches);
  }

  changePet(id: number, patch: Partial<PetBody>, matches?: Precondition): Expected {
    const pet = this.pets.get(id);
    if (!pet) return error(404, 'pet_not_found');
    if (matches && !matches(this.view('pet', id))) return preconditionFailed;
    const { status = pet.status } = patch;
    const missing = this.missingParent('PET', patch);
    if (missing) return missing;
    const isNew = status !== pet.status;
    if (isNew && status === 'available' && !pet.onHold && pet.availableQuantity === 0)
      return error(409, 'out_of_stock');
    const hasUnits = pet.availableQuantity + this.openUnits(id) > 0;
    const onHold = isNew ? status === 'pending' || (status === 'sold' && hasUnits) : pet.onHold;
    const ended = isNew && status === 'available' && { status: this.statusOfUnits(id) };
    this.changePetItem(id, { ...patch, onHold, ...ended });
    return ok(this.view('pet', id));
  }

  private statusOfUnits(id: number): PetStatus {
    if (this.pets.get(id)!.availableQuantity > 0) return 'available';
    return this.openUnits(id) > 0 ? 'pending' : 'sold';
  }

  private followUnits(id: number) {
    if (!this.pets.get(id)!.onHold) this.changePetItem(id, { status: this.statusOfUnits(id) });
  }

  deletePet(id: number, matches?: Precondition): Expected {
    if (!this.pets.has(id)) return error(404, 'pet_not_found');
    if (matches && !matches(this.view('pet', id))) return preconditionFailed;
    if (this.openUnits(id) > 0) return error(409, 'pet_has_open_orders');
    this.pets.delete(id);
    return noContent;
  }

  setInventory(petId: number, quantity: number, matches?: Precondition, units?: Units): Expected {
    const pet = this.pets.get(petId);
    if (!pet) return error(404, 'pet_not_found');
    if (matches && !matches(this.inventoryView(petId, units))) return preconditionFailed;
    const availableQuantity = quantity - (units ? this.openUnits(petId) : 0);
    if (availableQuantity < 0) return error(409, 'insufficient_stock');
    this.change(this.pets, petId, { availableQuantity });
    if (!pet.onHold) this.change(this.pets, petId, { status: this.statusOfUnits(petId) });
    this.countVersion(petId);
    return ok(this.inventoryView(petId, units));
  }

  placeOrder(actor: Actor, response: Fields & { readonly id: number }, order: OrderBody): Expected {
    const { petId, quantity, complete } = order;
    if (complete && actor !== 'staff') return error(403, 'forbidden');
    const pet = this.pets.get(petId);
    if (!pet) return error(422, 'pet_not_found');
    const missing = this.missingParent('ORDER', order);
    if (missing) return missing;
    if (pet.status !== 'available') return error(409, 'pet_not_available');
    if (pet.availableQuantity < quantity) return error(409, 'insufficient_stock');
    if (this.orders.has(response.id)) return duplicateId;
    const shipDate = inUtc(order.shipDate) ?? (complete ? response.shipDate : undefined);
    this.orders.set(
      response.id,
      merged({ ownerId: actor, petId, quantity, complete }, { ...order, shipDate }),
    );
    const availableQuantity = pet.availableQuantity - quantity;
    this.change(this.pets, petId, { availableQuantity });
    this.followUnits(petId);
    return { status: 201, body: this.view('order', response.id) };
  }

  private visible(actor: Actor, id: number): StoredOrder | undefined {
    const order = this.orders.get(id);
    return order && (actor === 'staff' || order.ownerId === actor) ? order : undefined;
  }

  getOrder(actor: Actor, id: number): Expected {
    return this.visible(actor, id) ? ok(this.view('order', id)) : error(404, 'order_not_found');
  }

  updateOrder(
    actor: Actor,
    response: Fields,
    id: number,
    patch: Fields & { readonly complete?: boolean | undefined },
    matches?: Precondition,
  ): Expected {
    if (actor !== 'staff') return error(403, 'forbidden');
    if (patch.complete && patch.shipDate === null) return error(400, 'invalid_request');
    const order = this.orders.get(id);
    if (!order) return error(404, 'order_not_found');
    if (matches && !matches(this.view('order', id))) return preconditionFailed;
    const next = merged(order, { ...patch, shipDate: inUtc(patch.shipDate) });
    if (isDeepStrictEqual(next, order)) return ok(this.view('order', id));
    const missing = this.missingParent('ORDER', patch);
    if (missing) return missing;
    if (order.complete) return error(409, 'order_complete');
    if (next.complete && next.shipDate === undefined)
      this.orders.set(id, { ...next, shipDate: String(response.shipDate) });
    else this.orders.set(id, next);
    this.followUnits(order.petId);
    return ok(this.view('order', id));
  }

  cancelOrder(actor: Actor, id: number, matches?: Precondition): Expected {
    const order = this.visible(actor, id);
    if (!order) return error(404, 'order_not_found');
    if (matches && !matches(this.view('order', id))) return preconditionFailed;
    if (order.complete) return error(409, 'order_complete');
    this.orders.delete(id);
    const availableQuantity = this.pets.get(order.petId)!.availableQuantity + order.quantity;
    this.change(this.pets, order.petId, { availableQuantity });
    this.followUnits(order.petId);
    return noContent;
  }

  /** As an operator erases an order of an owner. The units of an open order become available again. */
  eraseOrder(owner: Actor, id: number): Expected {
    if (this.orders.get(id)?.ownerId !== owner) return error(404, 'order_not_found');
    if (!this.orders.get(id)!.complete) return this.cancelOrder(owner, id);
    this.orders.delete(id);
    return noContent;
  }

  moveOrder(owner: Actor, next: Actor, id: number): Expected {
    const order = this.orders.get(id);
    if (order?.ownerId !== owner) return error(404, 'order_not_found');
    this.change(this.orders, id, { ownerId: next });
    return noContent;
  }
}

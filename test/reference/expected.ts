import type { OperationId, operations } from '../../lib/operations/index.ts';
import type { Units } from '../../lib/schemas/inventory.ts';
import { bySimpleId, type StoredNoun } from '../support/resources.ts';
import type { Actor, Expected, Precondition, ReferenceStore } from './reference-store.ts';

/** A request as the methods of the reference store need it. */
export interface Sent {
  readonly actor: Actor;
  readonly ids: Readonly<Record<`${StoredNoun}Id`, number>>;
  // biome-ignore lint/suspicious/noExplicitAny: a body
  readonly body?: any;
  readonly query?: { readonly units?: Units };
  readonly matches?: Precondition | undefined;
}

/** The operations that write. The compiler demands each of them here and in the interleavings. */
export type WritingId = {
  [Id in OperationId]: (typeof operations)[Id]['method'] extends 'GET' ? never : Id;
}[OperationId];

/** @param response the response of the service, for ids and timestamps, which only the service knows */
type Expect = (store: ReferenceStore, sent: Sent, response: Sent['body']) => Expected;

/** By operation. */
export const expected = {
  ...bySimpleId<Expect>(({ noun, idName }) => [
    (store, { body }, { id }) => store.create(noun, id, body),
    (store, { ids, body, matches }) => store.replace(noun, ids[idName], body, matches),
    (store, { ids, matches }) => store.remove(noun, ids[idName], matches),
  ]),
  createPet: (store, { body }, { id }) => store.createPet(id, body),
  replacePet: (store, { ids: { petId }, body, matches }) => store.replacePet(petId, body, matches),
  updatePet: (store, { ids: { petId }, body, matches }) => store.changePet(petId, body, matches),
  deletePet: (store, { ids: { petId }, matches }) => store.deletePet(petId, matches),
  setInventory: (store, { ids: { petId }, body, query, matches }) =>
    store.setInventory(petId, body.quantity, matches, query?.units),
  placeOrder: (store, { actor, body }, response) => store.placeOrder(actor, response, body),
  getOrder: (store, { actor, ids: { orderId } }) => store.getOrder(actor, orderId),
  updateOrder: (store, { actor, ids: { orderId }, body, matches }, response) =>
    store.updateOrder(actor, response, orderId, body, matches),
  cancelOrder: (store, { actor, ids: { orderId }, matches }) =>
    store.cancelOrder(actor, orderId, matches),
} satisfies Record<WritingId, Expect> & Partial<Record<OperationId, Expect>>;

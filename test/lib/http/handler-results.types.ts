import { handle } from '../../../lib/http/handle.ts';
import type { File, HandlerResult } from '../../../lib/http/handler-result.ts';
import type { PageOf } from '../../../lib/model/table/list.ts';
import type { Written } from '../../../lib/model/table/write-once.ts';
import { createPet } from '../../../lib/operations/createPet.ts';
import { deletePet } from '../../../lib/operations/deletePet.ts';
import { getDocs } from '../../../lib/operations/getDocs.ts';
import { getPet } from '../../../lib/operations/getPet.ts';
import type { operations } from '../../../lib/operations/index.ts';
import { listPets } from '../../../lib/operations/listPets.ts';
import { operation } from '../../../lib/operations/operation.ts';
import type { Category } from '../../../lib/schemas/category.ts';
import type { InventoryItem } from '../../../lib/schemas/inventory.ts';
import type { Order } from '../../../lib/schemas/order.ts';
import { Pet } from '../../../lib/schemas/pet.ts';

// The results that a handler may return, checked by the compiler (npm run check). Nothing here runs.

/** Compiles for two equal types only. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type HandlerResults = { [Id in keyof typeof operations]: HandlerResult<(typeof operations)[Id]> };

type Expected = {
  listPets: PageOf<Pet>;
  createPet: Written<Pet>;
  getPet: Pet;
  replacePet: Written<Pet>;
  updatePet: Written<Pet>;
  deletePet: Written<undefined>;
  listCategories: PageOf<Category>;
  createCategory: Written<Category>;
  getCategory: Category;
  replaceCategory: Written<Category>;
  deleteCategory: Written<undefined>;
  listInventory: PageOf<InventoryItem>;
  getInventory: InventoryItem;
  setInventory: Written<InventoryItem>;
  listOrders: PageOf<Order>;
  placeOrder: Written<Order>;
  getOrder: Order;
  updateOrder: Written<Order>;
  cancelOrder: Written<undefined>;
  getOpenApi: { [field: string]: unknown; openapi: string };
  getDocs: File<'text/html'>;
  getDocsFile: File<'text/javascript' | 'text/css' | 'text/plain'>;
};

type Id = keyof HandlerResults | keyof Expected;
type Same = {
  [I in Id]: I extends keyof HandlerResults & keyof Expected ? Equal<HandlerResults[I], Expected[I]> : false;
};
/** The operations with another result, or without a line above. The compiler names them. */
type Different = { [I in Id]: Same[I] extends true ? never : I }[Id];
export const different: Record<Different, 'add or correct its line in the type Expected'> = {};

const tom: Pet = { id: 1, name: 'Tom', categoryId: 1, status: 'available' };

// @ts-expect-error a handler does not return status and body
handle(getPet)(async () => ({ status: 418, body: { nope: true } }));
// @ts-expect-error a pet has a status
handle(getPet)(async () => ({ id: 1, name: 'Tom', categoryId: 1 }));
// @ts-expect-error a resource is not a page
handle(getPet)(async () => ({ items: [tom] }));
// @ts-expect-error a list does not return one item
handle(listPets)(async () => tom);
// @ts-expect-error a list does not return a bare array
handle(listPets)(async () => [tom]);
// @ts-expect-error a write returns whether its result is a replay
handle(createPet)(async () => tom);
// @ts-expect-error 204 has no body
handle(deletePet)(async () => ({ result: tom, replayed: false }));
// @ts-expect-error a file is not JSON
handle(getDocs)(async () => ({ openapi: '3.0.3' }));
// @ts-expect-error a file of another media type
handle(getDocs)(async () => ({ content: '', type: 'text/css' as const, policy: '' }));

const shape = { id: 'x', method: 'POST', path: '/x', tag: 'Pets', access: 'public', request: {}, errors: [] } as const;
// @ts-expect-error a 201 needs a Location
operation({ ...shape, responses: { 201: Pet } });
// @ts-expect-error 418 is not a success
operation({ ...shape, responses: { 418: Pet } });

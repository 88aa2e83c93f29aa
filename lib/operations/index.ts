import { cancelOrder } from './cancelOrder.ts';
import { createCategory } from './createCategory.ts';
import { createPet } from './createPet.ts';
import { deleteCategory } from './deleteCategory.ts';
import { deletePet } from './deletePet.ts';
import { getCategory } from './getCategory.ts';
import { getDocs } from './getDocs.ts';
import { getDocsFile } from './getDocsFile.ts';
import { getInventory } from './getInventory.ts';
import { getOpenApi } from './getOpenApi.ts';
import { getOrder } from './getOrder.ts';
import { getPet } from './getPet.ts';
import { listCategories } from './listCategories.ts';
import { listInventory } from './listInventory.ts';
import { listOrders } from './listOrders.ts';
import { listPets } from './listPets.ts';
import type { Operation } from './operation.ts';
import { placeOrder } from './placeOrder.ts';
import { replaceCategory } from './replaceCategory.ts';
import { replacePet } from './replacePet.ts';
import { setInventory } from './setInventory.ts';
import { updateOrder } from './updateOrder.ts';
import { updatePet } from './updatePet.ts';

/** In the order of the documentation. Only cdk/ and test/ import this object: a bundle would contain them all. */
export const operations = {
  listPets,
  createPet,
  getPet,
  replacePet,
  updatePet,
  deletePet,
  listCategories,
  createCategory,
  getCategory,
  replaceCategory,
  deleteCategory,
  listInventory,
  getInventory,
  setInventory,
  listOrders,
  placeOrder,
  getOrder,
  updateOrder,
  cancelOrder,
  getOpenApi,
  getDocs,
  getDocsFile,
};

export type { Operation };
export type OperationId = keyof typeof operations;
export type RegisteredOperation = Operation & { readonly id: OperationId };

export const allOperations: readonly RegisteredOperation[] = Object.values(operations);
export const operationIds = allOperations.map(({ id }) => id);

export const servedPaths = ({ path, shortcut }: Operation): string[] =>
  shortcut ? [path, shortcut] : [path];

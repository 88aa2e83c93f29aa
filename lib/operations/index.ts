import { createCategory } from './createCategory.ts';
import { createPet } from './createPet.ts';
import { deleteCategory } from './deleteCategory.ts';
import { deletePet } from './deletePet.ts';
import { getCategory } from './getCategory.ts';
import { getPet } from './getPet.ts';
import { listCategories } from './listCategories.ts';
import { listPets } from './listPets.ts';
import { replaceCategory } from './replaceCategory.ts';
import { replacePet } from './replacePet.ts';
import { updatePet } from './updatePet.ts';

/** The registry, in the order of the documentation. For cdk/ and test/ only: a function that imports it ships every operation. */
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
};

export type { Operation } from './operation.ts';
export type OperationId = keyof typeof operations;
export const operationIds = Object.keys(operations) as OperationId[];

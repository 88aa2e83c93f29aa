import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { deleteCategory } from '../lib/operations/deleteCategory.ts';

export const handler = handle(deleteCategory)(async ({ path, precondition }) => {
  await categories.remove(path.categoryId, precondition);
  return { status: 204 };
});

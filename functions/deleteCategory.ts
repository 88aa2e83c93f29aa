import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { deleteCategory } from '../lib/operations/deleteCategory.ts';

export const handler = handle(deleteCategory)(({ path, precondition, idempotency }) =>
  categories.remove(path.categoryId, { precondition, idempotency }),
);

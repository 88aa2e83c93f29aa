import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { replaceCategory } from '../lib/operations/replaceCategory.ts';

export const handler = handle(replaceCategory)(({ path, body, precondition, idempotency }) =>
  categories.replace(path.categoryId, body, { precondition, idempotency }),
);

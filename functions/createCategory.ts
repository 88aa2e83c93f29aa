import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { createCategory } from '../lib/operations/createCategory.ts';

export const handler = handle(createCategory)(({ body, idempotency }) =>
  categories.create(body, { idempotency }),
);

import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { getCategory } from '../lib/operations/getCategory.ts';

export const handler = handle(getCategory)(async ({ path }) => ({
  status: 200,
  body: await categories.get(path.categoryId),
}));

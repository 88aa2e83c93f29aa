import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { replaceCategory } from '../lib/operations/replaceCategory.ts';

export const handler = handle(replaceCategory)(async ({ path, body, precondition }) => ({
  status: 200,
  body: await categories.replace(path.categoryId, body, precondition),
}));

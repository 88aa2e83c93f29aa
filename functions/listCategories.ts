import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { listCategories } from '../lib/operations/listCategories.ts';

export const handler = handle(listCategories)(async ({ page }) => {
  const { items, next } = await categories.list(page);
  return { status: 200, body: items, next };
});

import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { listCategories } from '../lib/operations/listCategories.ts';

export const handler = handle(listCategories)(({ page }) => categories.list(page));

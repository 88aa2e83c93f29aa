import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { getCategory } from '../lib/operations/getCategory.ts';

export const handler = handle(getCategory)(({ path }) => categories.get(path.categoryId));

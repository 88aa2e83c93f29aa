import type { Index } from '../lib/model/keys.ts';
import type { OperationId } from '../lib/operations/index.ts';

/** DynamoDB authorises a transaction by the actions that it is made of. */
type TableAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

export interface Permissions {
  /** Actions on the table. */
  readonly table: readonly TableAction[];
  /** Indexes that the function may query. */
  readonly indexes?: readonly Index[];
}

/** What each function may do with the table: exactly what it does. */
export const permissions: Record<OperationId, Permissions> = {
  listPets: { table: ['GetItem', 'BatchGetItem'], indexes: ['all', 'byState', 'byGroup', 'byGroupAndState'] },
  createPet: { table: ['PutItem', 'UpdateItem'] },
  getPet: { table: ['GetItem'] },
  replacePet: { table: ['GetItem', 'UpdateItem'] },
  updatePet: { table: ['GetItem', 'UpdateItem'] },
  deletePet: { table: ['GetItem', 'UpdateItem', 'DeleteItem'] },
  listCategories: { table: [], indexes: ['all'] },
  createCategory: { table: ['PutItem'] },
  getCategory: { table: ['GetItem'] },
  replaceCategory: { table: ['GetItem', 'UpdateItem'] },
  deleteCategory: { table: ['GetItem', 'DeleteItem'] },
  listInventory: { table: ['BatchGetItem'], indexes: ['all', 'byState'] },
  getInventory: { table: ['GetItem'] },
  setInventory: { table: ['GetItem', 'UpdateItem'] },
  listOrders: { table: [], indexes: ['all', 'byState', 'byGroup', 'byGroupAndState'] },
  placeOrder: { table: ['PutItem', 'UpdateItem'] },
  getOrder: { table: ['GetItem'] },
  updateOrder: { table: ['GetItem', 'UpdateItem'] },
  cancelOrder: { table: ['GetItem', 'UpdateItem', 'DeleteItem'] },
  getOpenApi: { table: [] },
  getDocs: { table: [] },
  getDocsFile: { table: [] },
};

export const usesTable = (id: OperationId): boolean =>
  permissions[id].table.length > 0 || permissions[id].indexes !== undefined;

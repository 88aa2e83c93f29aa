import type { IndexKey } from '../../lib/model/table/indexes.ts';
import type { OperationId } from '../../lib/operations/index.ts';

/** DynamoDB authorises a transaction by the actions that it is made of. */
type TableAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';

export interface Permissions {
  /** Actions on the table. */
  readonly table: readonly TableAction[];
  /** Keys of the indexes that the function may query. */
  readonly indexes?: readonly IndexKey[];
}

/** What each function may do with the table: exactly what it does. Those that write check a condition when a try went unanswered (lib/model/table/transact.ts). */
export const permissions: Record<OperationId, Permissions> = {
  listPets: { table: ['GetItem', 'BatchGetItem'], indexes: ['all', 'byState', 'byGroup', 'byGroupAndState'] },
  createPet: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  getPet: { table: ['GetItem'] },
  replacePet: { table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'] },
  updatePet: { table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'] },
  deletePet: { table: ['GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  listCategories: { table: [], indexes: ['all'] },
  createCategory: { table: ['GetItem', 'PutItem', 'ConditionCheckItem'] },
  getCategory: { table: ['GetItem'] },
  replaceCategory: { table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'] },
  deleteCategory: { table: ['GetItem', 'DeleteItem', 'ConditionCheckItem'] },
  listInventory: { table: ['BatchGetItem'], indexes: ['all', 'byState'] },
  getInventory: { table: ['GetItem'] },
  setInventory: { table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'] },
  listOrders: { table: [], indexes: ['all', 'byState', 'byGroup', 'byGroupAndState'] },
  placeOrder: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  getOrder: { table: ['GetItem'] },
  updateOrder: { table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'] },
  cancelOrder: { table: ['GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  getOpenApi: { table: [] },
  getDocs: { table: [] },
  getDocsFile: { table: [] },
};

/** What the publisher may do: read the one stream as Lambda does for it, put events on the one bus, keep records in the one queue. */
export const publisherPermissions = {
  stream: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'],
  bus: ['PutEvents'],
  queue: ['SendMessage'],
} as const;

export const usesTable = (id: OperationId): boolean =>
  permissions[id].table.length > 0 || permissions[id].indexes !== undefined;

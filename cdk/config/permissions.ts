import type { IndexKey } from '../../lib/model/table/indexes.ts';
import type { OperationId } from '../../lib/operations/index.ts';
import * as page from './page.ts';

/** A transaction has no action of its own: DynamoDB authorizes it by the actions in it. */
type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

export interface Permissions {
  readonly table: readonly TableAction[];
  readonly indexes?: readonly IndexKey[];
  /**
   * Patterns of the partition keys that a public function may read (DynamoDB developer guide, "Using IAM policy conditions for
   * fine-grained access control"). For an index, we expect that IAM compares them with the keys of the index, not of the table.
   * AWS does not document this; `npm run verify` tests it.
   */
  readonly partitions?: readonly string[];
  /** Whether it has the URL of the token endpoint: the document has it, and the page connects to it. */
  readonly tokenUrl?: true;
}

/** Exactly what each function uses. ConditionCheckItem resolves ambiguous writes (transact.ts). */
export const permissions: Record<OperationId, Permissions> = {
  listPets: {
    table: ['GetItem', 'BatchGetItem'],
    indexes: ['all', 'byState', 'byGroup', 'byGroupAndState', 'byName'],
    partitions: ['PET#*', 'PETS#*', 'CATEGORY#*#PETS#*'],
  },
  createPet: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  getPet: { table: ['GetItem'], partitions: ['PET#*'] },
  replacePet: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  updatePet: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  deletePet: { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  listCategories: { table: [], indexes: ['all'], partitions: ['CATEGORIES#*'] },
  createCategory: { table: ['GetItem', 'PutItem', 'ConditionCheckItem'] },
  getCategory: { table: ['GetItem'], partitions: ['CATEGORY#*'] },
  replaceCategory: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  deleteCategory: { table: ['GetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'] },
  listInventory: { table: ['BatchGetItem'], indexes: ['all', 'byState', 'byHold'] },
  getInventory: { table: ['GetItem'] },
  setInventory: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  listOrders: {
    table: [],
    indexes: ['all', 'byState', 'byGroup', 'byGroupAndState', 'byPet', 'byPetAndState'],
  },
  placeOrder: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  getOrder: { table: ['GetItem'] },
  updateOrder: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  cancelOrder: { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  getOpenApi: { table: [], tokenUrl: true },
  ...page.permissions,
};

/** A partition key that the function may read, and that no item has (warm-up.ts). Undefined without GetItem. */
export const warmUpKeyOf = (id: OperationId): string | undefined => {
  const { table, partitions: [pattern = 'PET#*'] = [] } = permissions[id];
  return table.includes('GetItem') ? pattern.replace('*', '0') : undefined;
};

export const usesTable = (id: OperationId): boolean =>
  permissions[id].table.length > 0 || permissions[id].indexes !== undefined;

export const writes = (id: OperationId): boolean =>
  permissions[id].table.some(action => /^(Put|Update|Delete)Item$/.test(action));

import type { ErrorName } from '../errors.ts';

/** Kinds are sort keys. */
interface Reference {
  readonly kind: string;
  readonly field: string;
  readonly parent: string;
  /**
   * An attribute of the parent: how many items refer to it. Writes of items that share a counted parent conflict (DynamoDB developer
   * guide, "Transactional conflict handling"). A parent without a counter can be deleted before the items that refer to it.
   */
  readonly counter?: string;
  readonly notFound: ErrorName;
}

/**
 * The fields that refer to an item of another kind. If several parents do not exist, the first row decides the error. `petId` of
 * an order has its own rule: a pet has the units of its open orders (stock.ts).
 */
export const references: readonly Reference[] = [
  {
    kind: 'PET',
    field: 'categoryId',
    parent: 'CATEGORY',
    counter: 'petCount',
    notFound: 'category_not_found_in_body',
  },
];

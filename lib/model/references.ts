/**
 * The fields that refer to an item of another kind, which counts the items that refer to it. Kinds are sort keys. `petId` of an
 * order has its own rule: a pet has the units of its open orders (stock.ts).
 */
export const references = [
  {
    kind: 'PET',
    field: 'categoryId',
    parent: 'CATEGORY',
    counter: 'petCount',
    notFound: 'category_not_found_in_body',
  },
] as const;

import { mutantsOf } from '../mutant.ts';

/** lib/operations: the data of each operation. The committed document and the tests of the operation notice each change. */
const document = 'openapi/openapi';

export const operationMutants = [
  ...mutantsOf('lib/operations/cancelOrder.ts', document, [
    ['accepts the scope catalog', "access: 'orders'", "access: 'catalog'"],
    ['does not declare order_complete', "'order_not_found', 'order_complete'", "'order_not_found'"],
  ]),
  ...mutantsOf('lib/operations/createCategory.ts', document, [
    ['is public', "access: 'catalog'", "access: 'public'"],
    ['has another path in Location', "location: '/pets/categories/{id}'", "location: '/pets/{id}'", 'api/categories'],
  ]),
  ...mutantsOf('lib/operations/createPet.ts', document, [
    ['has the deprecated operation in Location', "location: '/pets?id={id}'", "location: '/pets/{id}'", 'api/pets'],
    ['does not declare category_not_found', "errors: ['category_not_found_in_body']", 'errors: []'],
  ]),
  ...mutantsOf('lib/operations/deleteCategory.ts', document, [['does not declare category_in_use', ", 'category_in_use'", '', 'api/categories']]),
  ...mutantsOf('lib/operations/deletePet.ts', document, [['does not declare pet_has_open_orders', ", 'pet_has_open_orders'", '', 'api/store']]),
  ...mutantsOf('lib/operations/getCategory.ts', document, [['does not declare category_not_found', "errors: ['category_not_found']", 'errors: []', 'api/categories']]),
  ...mutantsOf('lib/operations/getDocs.ts', document, [
    ['does not redirect the root', "  shortcut: '/',\n", '', 'api/gateway: redirects the root'],
    ['rejects a query', "request: { query: 'any' }", 'request: {}', 'openapi/openapi: the page'],
  ]),
  ...mutantsOf('lib/operations/getDocsFile.ts', document, [
    ['does not declare not_found', "errors: ['not_found']", 'errors: []', 'openapi/openapi: the page'],
    ['rejects a query', ", query: 'any' }", ' }', 'openapi/openapi: the page'],
  ]),
  ...mutantsOf('lib/operations/getInventory.ts', document, [['accepts the scope orders', "access: 'inventory'", "access: 'orders'"]]),
  ...mutantsOf('lib/operations/getOpenApi.ts', document, [
    ['requires a token', "access: 'public'", "access: 'catalog'"],
    ['has another example URL', "'https://petstore.example.com'", "'https://example.com'"],
  ]),
  ...mutantsOf('lib/operations/getOrder.ts', document, [['is public', "access: 'orders'", "access: 'public'"]]),
  ...mutantsOf('lib/operations/getPet.ts', document, [['has itself as the successor', "successor: '/pets?id={petId}'", "successor: '/pets/{petId}'", 'api/response-headers']]),
  ...mutantsOf('lib/operations/index.ts', document, [
    ['does not serve the shortcut', 'shortcut ? [path, shortcut] : [path]', '[path]', 'api/gateway: redirects the root'],
    ['has the operations in another order', '  getOrder,\n  updateOrder,\n', '  updateOrder,\n  getOrder,\n'],
  ]),
  ...mutantsOf('lib/operations/listCategories.ts', document, [['accepts no limit and no cursor', 'z.strictObject(paging)', 'z.strictObject({})']]),
  ...mutantsOf('lib/operations/listInventory.ts', document, [
    ['accepts only one status', 'status: repeatable(PetStatus)', 'status: z.optional(z.array(PetStatus).check(z.maxLength(1)))', 'api/store: lists the stock of all pets'],
    ['accepts the scope orders', "access: 'inventory'", "access: 'orders'"],
  ]),
  ...mutantsOf('lib/operations/placeOrder.ts', document, [
    ['does not declare insufficient_stock', ", 'insufficient_stock'", ''],
    ['requires the scope orders.manage', "access: 'orders'", "access: 'orders.manage'"],
  ]),
  ...mutantsOf('lib/operations/replaceCategory.ts', document, [['does not declare category_not_found', "errors: ['category_not_found']", 'errors: []', 'api/categories']]),
  ...mutantsOf('lib/operations/replacePet.ts', document, [['does not declare out_of_stock', ", 'out_of_stock'", '', 'api/pets']]),
  ...mutantsOf('lib/operations/setInventory.ts', document, [['accepts the scope catalog', "access: 'inventory'", "access: 'catalog'"]]),
  ...mutantsOf('lib/operations/updateOrder.ts', document, [
    ['accepts the scope orders', "access: 'orders.manage'", "access: 'orders'"],
    ['has no stability', "  stability: 'experimental',\n", ''],
  ]),
  ...mutantsOf('lib/operations/updatePet.ts', document, [
    ['has no stability', "  stability: 'beta',\n", ''],
    ['is a POST', "method: 'PATCH'", "method: 'POST'"],
  ]),
  ...mutantsOf('functions/getOpenApi.ts', document, [['has no token URL without a token endpoint', 'tokenUrl(baseUrl) ?? exampleTokenUrl', "tokenUrl(baseUrl) ?? ''", 'openapi/openapi: the document of a stage without']]),
];

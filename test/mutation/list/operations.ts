import { mutantsOf } from '../mutant.ts';

/** lib/operations: the data of each operation. The committed document and the tests of the operation notice each change. */
const document = 'openapi/openapi';

export const ofTheOperations = [
  ...mutantsOf('lib/operations/cancelOrder.ts', document, [
    ['any client may cancel with the scope catalog', "access: 'orders'", "access: 'catalog'"],
    ['a complete order is an internal error', "'order_not_found', 'order_complete'", "'order_not_found'"],
  ]),
  ...mutantsOf('lib/operations/createCategory.ts', document, [
    ['it is public', "access: 'catalog'", "access: 'public'"],
    ['Location names another path', "location: '/pets/categories/{id}'", "location: '/pets/{id}'", 'api/categories'],
  ]),
  ...mutantsOf('lib/operations/createPet.ts', document, [
    ['Location names the deprecated operation', "location: '/pets?id={id}'", "location: '/pets/{id}'", 'api/pets'],
    ['an unknown category is an internal error', "errors: ['category_not_found_in_body']", 'errors: []'],
  ]),
  ...mutantsOf('lib/operations/deleteCategory.ts', document, [['a category in use is an internal error', ", 'category_in_use'", '', 'api/categories']]),
  ...mutantsOf('lib/operations/deletePet.ts', document, [['open orders are an internal error', ", 'pet_has_open_orders'", '', 'api/store']]),
  ...mutantsOf('lib/operations/getCategory.ts', document, [['an unknown category is an internal error', "errors: ['category_not_found']", 'errors: []', 'api/categories']]),
  ...mutantsOf('lib/operations/getDocs.ts', document, [
    ['the root does not redirect', "  shortcut: '/',\n", '', 'api/gateway: redirects the root'],
    ['a query is rejected', "request: { query: 'any' }", 'request: {}', 'openapi/openapi: the page'],
  ]),
  ...mutantsOf('lib/operations/getDocsFile.ts', document, [
    ['an unknown file is an internal error', "errors: ['not_found']", 'errors: []', 'openapi/openapi: the page'],
    ['a query is rejected', ", query: 'any' }", ' }', 'openapi/openapi: the page'],
  ]),
  ...mutantsOf('lib/operations/getInventory.ts', document, [['orders is enough to read the stock', "access: 'inventory'", "access: 'orders'"]]),
  ...mutantsOf('lib/operations/getOpenApi.ts', document, [
    ['it needs a token', "access: 'public'", "access: 'catalog'"],
    ['the example of a URL is another', "'https://petstore.example.com'", "'https://example.com'"],
  ]),
  ...mutantsOf('lib/operations/getOrder.ts', document, [['it is public', "access: 'orders'", "access: 'public'"]]),
  ...mutantsOf('lib/operations/getPet.ts', document, [
    ['it is not deprecated', "  deprecated: { successor: '/pets?id={petId}' },\n", ''],
    ['its successor is itself', "successor: '/pets?id={petId}'", "successor: '/pets/{petId}'", 'api/response-headers'],
  ]),
  ...mutantsOf('lib/operations/index.ts', document, [
    ['the shortcut is not served', 'shortcut ? [path, shortcut] : [path]', '[path]', 'api/gateway: redirects the root'],
    ['the documentation is in another order', '  getOrder,\n  updateOrder,\n', '  updateOrder,\n  getOrder,\n'],
  ]),
  ...mutantsOf('lib/operations/listCategories.ts', document, [['it has no pages', 'z.strictObject(paging)', 'z.strictObject({})']]),
  ...mutantsOf('lib/operations/listInventory.ts', document, [
    ['the status is given once', 'status: repeatable(PetStatus)', 'status: z.optional(z.array(PetStatus).check(z.maxLength(1)))'],
    ['orders is enough to read the stock', "access: 'inventory'", "access: 'orders'"],
  ]),
  ...mutantsOf('lib/operations/placeOrder.ts', document, [
    ['insufficient stock is an internal error', ", 'insufficient_stock'", ''],
    ['it needs the scope of staff', "access: 'orders'", "access: 'orders.manage'"],
  ]),
  ...mutantsOf('lib/operations/replaceCategory.ts', document, [['an unknown category is an internal error', "errors: ['category_not_found']", 'errors: []', 'api/categories']]),
  ...mutantsOf('lib/operations/replacePet.ts', document, [['a pet without stock is an internal error', ", 'out_of_stock'", '', 'api/pets']]),
  ...mutantsOf('lib/operations/setInventory.ts', document, [['catalog is enough to set the stock', "access: 'inventory'", "access: 'catalog'"]]),
  ...mutantsOf('lib/operations/updateOrder.ts', document, [
    ['a customer may complete an order', "access: 'orders.manage'", "access: 'orders'"],
    ['it is stable', "  stability: 'experimental',\n", ''],
  ]),
  ...mutantsOf('lib/operations/updatePet.ts', document, [
    ['it is stable', "  stability: 'beta',\n", ''],
    ['it is another method', "method: 'PATCH'", "method: 'POST'"],
  ]),
];

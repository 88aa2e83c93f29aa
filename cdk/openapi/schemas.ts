import * as z from 'zod/mini';
import { errors, toBody } from '../../lib/errors.ts';
import { OpenApi } from '../../lib/operations/getOpenApi.ts';
import * as ofCategories from '../../lib/schemas/category.ts';
import * as ofInventory from '../../lib/schemas/inventory.ts';
import * as ofOrders from '../../lib/schemas/order.ts';
import * as ofPets from '../../lib/schemas/pet.ts';
import { maxIds, maxLimit } from '../../lib/schemas/query.ts';
import { requestSchema, responseSchema } from './body-schemas.ts';
import { texts } from './fields.ts';
import { ref, type Schema, text, toSchema } from './to-schema.ts';

/** Ordered by status. */
const errorCodes: readonly string[] = [
  ...new Set(Object.keys(errors).map(name => toBody(name as keyof typeof errors).code)),
];

/** The component schemas of bodies. Names and required fields are those of the specification. Every request body has a name. */
export const schemas: Record<string, Schema> = {
  PetStatus: {
    description:
      '`available`: at least one unit can be ordered. `pending`: all units are ordered, or the pet is on hold. `sold`: no unit is left, or the pet is on hold.',
    ...toSchema(ofPets.PetStatus, 'input'),
    example: ofPets.petStatuses[0],
  },
  NewPet: requestSchema(ofPets.NewPet, 'A new pet. The default status is `available`.', texts.pet),
  PetReplacement: requestSchema(
    ofPets.PetReplacement,
    'A pet, also as listPets returned it. Without `status`, the status does not change.',
    texts.pet,
  ),
  PetPatch: requestSchema(ofPets.PetPatch, 'The fields of a pet that change.', texts.pet),
  Pet: responseSchema(ofPets.Pet, {
    request: ofPets.NewPet,
    description: 'A pet.',
    required: ['id', 'name', 'categoryId'],
    texts: texts.pet,
  }),
  Pets: {
    description: 'Pets, newest first.',
    type: 'array',
    maxItems: Math.max(maxLimit, maxIds),
    items: ref('schemas', 'Pet'),
  },
  NewCategory: requestSchema(ofCategories.NewCategory, 'A new category.', texts.category),
  CategoryReplacement: requestSchema(
    ofCategories.CategoryReplacement,
    'A category, also as getCategory returned it.',
    texts.category,
  ),
  Category: responseSchema(ofCategories.Category, {
    request: ofCategories.NewCategory,
    description: 'A category of pets.',
    required: ['id', 'name'],
    texts: texts.category,
  }),
  NewOrder: requestSchema(ofOrders.NewOrder, 'A new order.', texts.order),
  OrderPatch: requestSchema(
    ofOrders.OrderPatch,
    'The fields of an order that change.',
    texts.order,
  ),
  Order: responseSchema(ofOrders.Order, {
    request: ofOrders.NewOrder,
    description:
      'An order of units of one pet. Every response has `id`, `petId`, `quantity` and `complete`.',
    required: [],
    texts: {
      ...texts.order,
      quantity: { ...texts.order.quantity, maximum: ofOrders.maxStoredQuantity },
    },
  }),
  InventoryItem: responseSchema(ofInventory.InventoryItem, {
    description: 'The available quantity and the status of a pet.',
    required: ['petId', 'quantity', 'status'],
    texts: texts.inventory,
  }),
  InventoryUpdate: requestSchema(ofInventory.InventoryUpdate, 'A new available quantity.', {
    quantity: {
      ...texts.inventory.quantity,
      description: 'The new number of units available to order',
    },
  }),
  Error: {
    description: 'An error. Every error has exactly these fields.',
    type: 'object',
    properties: {
      code: {
        ...text(64, '^[a-z][a-z_]*$'),
        // This is not `enum`, because a new value would break generated clients. They read an open enumeration as a string.
        'x-extensible-enum': errorCodes,
        description: `Machine-readable error code. No code is renamed within 1.x; more codes may be added. Now one of ${errorCodes.map(code => `\`${code}\``).join(', ')}`,
        example: 'pet_not_available',
      },
      message: {
        type: 'string',
        maxLength: 100_000,
        description: 'Human-readable description of the error',
        example: 'The pet is not available.',
        // Exceptions of Kiota's clients have this message, or else none.
        'x-ms-primary-error-message': true,
      },
      status: {
        type: 'integer',
        minimum: 400,
        maximum: 599,
        description: 'The HTTP status code',
        example: 409,
      },
    },
    required: ['code', 'message', 'status'],
  },
};

/** Names of components by their Zod schemas. */
const names = new Map<unknown, string>(
  Object.entries({ ...ofCategories, ...ofInventory, ...ofOrders, ...ofPets })
    .filter(([name]) => name in schemas)
    .map(([name, schema]) => [schema, name]),
);

const open = { type: 'object', additionalProperties: true };
const openApi = {
  ...open,
  description: 'An OpenAPI document',
  properties: { openapi: text(10, '^3[.]0[.][0-9]+$'), info: open, paths: open },
  required: ['openapi', 'info', 'paths'],
};

/** A reference to the schema's component, or a list of such references. @throws when the schema has no component */
export const componentOf = (schema: z.ZodMiniType): Schema => {
  if (schema === OpenApi) return openApi;
  const name = names.get(schema);
  if (name) return ref('schemas', name);
  const ofList = schema instanceof z.ZodMiniArray && names.get(schema.def.element);
  if (ofList) return { type: 'array', maxItems: maxLimit, items: ref('schemas', ofList) };
  throw new Error(
    `cdk/openapi/schemas.ts, names: no component with ${Object.keys(toSchema(schema, 'input').properties)}.`,
  );
};

import { errors, toBody } from '../../lib/errors.ts';
import { Category, CategoryReplacement, NewCategory } from '../../lib/schemas/category.ts';
import { Id } from '../../lib/schemas/id.ts';
import { InventoryItem, InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { NewOrder, Order, OrderPatch } from '../../lib/schemas/order.ts';
import { NewPet, Pet, PetPatch, PetReplacement, PetStatus } from '../../lib/schemas/pet.ts';
import { maxIds, maxLimit } from '../../lib/schemas/query.ts';
import { eventSchemas } from './event-schemas.ts';
import { ref } from './references.ts';
import { boundsOf, requestSchema, responseSchema, type Schema, toSchema } from './to-schema.ts';

const id = boundsOf(Id);
const petId = { example: 243719355140437, description: 'Identifier of the pet' };
const categoryId = { example: 243719355140436, description: 'Identifier of the category' };
const orderId = { example: 243719355140438, description: 'Unique order identifier' };

const petName = { description: 'The name of the pet', example: 'Tom' };
const categoryName = { description: 'The category name', example: 'Cats' };
const description = { description: 'Short description of the category', example: 'Independent, quiet, awake at night' };

const shipDate = {
  description: 'Expected or actual ship date, with an offset or `Z`',
  example: '2027-01-04T09:00:00Z',
};
const complete = { description: 'Whether the order is complete', example: false };
const orderQuantity = { description: 'Number of units ordered', example: 1 };
const availableQuantity = {
  description: 'The number of units available to order, without units in open orders',
  example: 3,
};
const status = ref('schemas', 'PetStatus');

/** Every error code, ordered by status. */
const errorCodes: readonly string[] = [
  ...new Set(Object.keys(errors).map(name => toBody(name as keyof typeof errors).code)),
];

/** The component schemas. Names and required fields are those of the specification; every request body has a name. */
export const schemas: Record<string, Schema> = {
  PetStatus: {
    description:
      '`available`: at least one unit can be ordered. `pending`: all units are ordered, or the pet is on hold. `sold`: no unit is left, or the pet is on hold.',
    ...toSchema(PetStatus, 'input'),
  },
  NewPet: requestSchema(NewPet, 'A new pet. The default status is `available`.', { name: petName, categoryId, status }),
  PetReplacement: requestSchema(
    PetReplacement,
    'The name and category of a pet, and optionally its status and id. Without `status`, the status does not change.',
    {
      id: { ...petId, description: 'Must be equal to the id in the path' },
      name: petName,
      categoryId,
      status,
    },
  ),
  PetPatch: requestSchema(PetPatch, 'A JSON merge patch of a pet: the fields that change.', {
    name: petName,
    categoryId,
    status,
  }),
  Pet: responseSchema(Pet, 'A pet.', ['id', 'name', 'categoryId'], {
    id: { ...id, ...petId, description: 'Unique identifier, assigned by the service on creation' },
    name: { ...boundsOf(NewPet.shape.name), ...petName },
    categoryId: { ...id, ...categoryId },
    status,
  }),
  Pets: {
    description: 'Pets, newest first.',
    type: 'array',
    maxItems: Math.max(maxLimit, maxIds),
    items: ref('schemas', 'Pet'),
  },
  NewCategory: requestSchema(NewCategory, 'A new category.', { name: categoryName, description }),
  CategoryReplacement: requestSchema(
    CategoryReplacement,
    'The name of a category, and optionally its description and id. Without `description`, the description is removed.',
    {
      id: { ...categoryId, description: 'Must be equal to the id in the path' },
      name: categoryName,
      description,
    },
  ),
  Category: responseSchema(Category, 'A category of pets.', ['id', 'name'], {
    id: { ...id, ...categoryId, description: 'Unique identifier, assigned by the service on creation' },
    name: { ...boundsOf(NewCategory.shape.name), ...categoryName },
    description: { ...boundsOf(NewCategory.shape.description), ...description },
  }),
  NewOrder: requestSchema(NewOrder, 'A new order.', { petId, quantity: orderQuantity, shipDate, complete }),
  OrderPatch: requestSchema(OrderPatch, 'A JSON merge patch of an order: the fields that change.', {
    shipDate: { ...shipDate, description: `${shipDate.description}; \`null\` removes it` },
    complete: { ...complete, example: true },
  }),
  Order: responseSchema(
    Order,
    'An order of units of one pet. Every response has `id`, `petId`, `quantity` and `complete`.',
    [],
    {
      id: { ...id, ...orderId },
      petId: { ...id, ...petId },
      quantity: { ...boundsOf(NewOrder.shape.quantity), ...orderQuantity },
      shipDate: { ...boundsOf(NewOrder.shape.shipDate), ...shipDate },
      complete: { ...boundsOf(NewOrder.shape.complete), ...complete },
    },
  ),
  InventoryItem: responseSchema(
    InventoryItem,
    'The available quantity and the status of a pet.',
    ['petId', 'quantity', 'status'],
    {
      petId: { ...id, ...petId },
      // Without the maximum of InventoryUpdate: cancellations can increase the quantity above it.
      quantity: {
        ...boundsOf(InventoryItem.shape.quantity),
        minimum: boundsOf(InventoryUpdate.shape.quantity).minimum,
        ...availableQuantity,
      },
      status,
    },
  ),
  InventoryUpdate: requestSchema(InventoryUpdate, 'A new available quantity.', {
    quantity: { ...availableQuantity, description: 'The new number of units available to order' },
  }),
  Error: {
    description: 'An error. Every error has exactly these fields.',
    type: 'object',
    properties: {
      code: {
        type: 'string',
        maxLength: 64,
        pattern: '^[a-z][a-z_]*$',
        // Not `enum`: a new value would break generated clients. They read an open enumeration as a string.
        'x-extensible-enum': errorCodes,
        description: `Machine-readable error code. No code is renamed within 1.x; more codes may be added. Now one of ${errorCodes.map(code => `\`${code}\``).join(', ')}`,
        example: 'pet_not_available',
      },
      message: {
        type: 'string',
        maxLength: 100_000,
        description: 'Human-readable description of the error',
        example: 'The pet is not available.',
      },
      status: {
        type: 'integer',
        format: 'int32',
        minimum: 400,
        maximum: 599,
        description: 'The HTTP status code',
        example: 409,
      },
    },
    required: ['code', 'message', 'status'],
  },
  ...eventSchemas,
};

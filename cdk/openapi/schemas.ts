import { errors, toBody } from '../../lib/errors.ts';
import { Category, CategoryReplacement, NewCategory } from '../../lib/schemas/category.ts';
import { Id } from '../../lib/schemas/id.ts';
import { InventoryItem, InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { NewOrder, Order, OrderPatch } from '../../lib/schemas/order.ts';
import { NewPet, Pet, PetPatch, PetReplacement, PetStatus } from '../../lib/schemas/pet.ts';
import { maxIds, maxLimit } from '../../lib/schemas/query.ts';
import { eventSchemas } from './event-schemas.ts';
import { ref } from './references.ts';
import { answered, boundsOf, type Schema, taken, toSchema } from './to-schema.ts';

const id = boundsOf(Id);
const petId = { example: 243719355140437, description: 'Identifier of the animal' };
const categoryId = { example: 243719355140436, description: 'Identifier of the category the animal belongs to' };
const orderId = { example: 243719355140438, description: 'Unique order identifier' };

const petName = { description: 'The animal’s name', example: 'Tom' };
const categoryName = { description: 'The category name', example: 'Cats' };
const description = {
  description: 'Short description of the category',
  example: 'Independent, quiet, awake at night',
};

const shipDate = {
  description: 'Expected or actual ship date, with an offset or `Z`',
  example: '2027-01-04T09:00:00Z',
};
const complete = { description: 'Whether the order has been fulfilled', example: false };
const ordered = { description: 'Number of units ordered', example: 2 };
const free = { description: 'Current stock count: the units free to sell', example: 3 };
const status = ref('schemas', 'PetStatus');

/** Every code that a caller can see, in the order of their statuses. */
const errorCodes: readonly string[] = [
  ...new Set(Object.keys(errors).map(name => toBody(name as keyof typeof errors).code)),
];

/** The component schemas, named and required as in the specification; and a name for every body that a request can have. */
export const schemas: Record<string, Schema> = {
  PetStatus: {
    description: 'Whether a pet can be ordered. `available` only if at least one unit is free.',
    ...toSchema(PetStatus, 'input'),
  },
  NewPet: taken(NewPet, 'What creates a pet. Its status is `available` when absent.', {
    name: petName,
    categoryId,
    status,
  }),
  PetReplacement: taken(PetReplacement, 'What replaces a pet: a NewPet, or what GET returned.', {
    id: { ...petId, description: 'The id of the path, or absent' },
    name: petName,
    categoryId,
    status,
  }),
  PetPatch: taken(PetPatch, 'A JSON merge patch of a pet: the fields that change.', {
    name: petName,
    categoryId,
    status,
  }),
  Pet: answered(Pet, 'An animal.', ['id', 'name', 'categoryId'], {
    id: { ...id, ...petId, description: 'Unique identifier, assigned by the service on creation' },
    name: { ...boundsOf(NewPet.shape.name), ...petName },
    categoryId: { ...id, ...categoryId },
    status,
  }),
  Pets: {
    description: 'Animals, newest first.',
    type: 'array',
    maxItems: Math.max(maxLimit, maxIds),
    items: ref('schemas', 'Pet'),
  },
  NewCategory: taken(NewCategory, 'What creates a category.', { name: categoryName, description }),
  CategoryReplacement: taken(CategoryReplacement, 'What replaces a category: a NewCategory, or what GET returned.', {
    id: { ...categoryId, description: 'The id of the path, or absent' },
    name: categoryName,
    description,
  }),
  Category: answered(Category, 'A grouping of animals.', ['id', 'name'], {
    id: { ...id, ...categoryId, description: 'Unique identifier, assigned by the service on creation' },
    name: { ...boundsOf(NewCategory.shape.name), ...categoryName },
    description: { ...boundsOf(NewCategory.shape.description), ...description },
  }),
  NewOrder: taken(NewOrder, 'What places an order.', {
    petId,
    quantity: ordered,
    shipDate,
    complete,
  }),
  OrderPatch: taken(OrderPatch, 'A JSON merge patch of an order: the fields that change.', {
    shipDate: { ...shipDate, description: `${shipDate.description}; \`null\` removes it` },
    complete: { ...complete, example: true },
  }),
  Order: answered(Order, 'A purchase of some units of an animal.', [], {
    id: { ...id, ...orderId },
    petId: { ...id, ...petId },
    quantity: { ...boundsOf(NewOrder.shape.quantity), ...ordered },
    shipDate: { ...boundsOf(NewOrder.shape.shipDate), ...shipDate },
    complete: { ...boundsOf(NewOrder.shape.complete), ...complete },
  }),
  InventoryItem: answered(InventoryItem, 'The free units and the status of a pet.', ['petId', 'quantity', 'status'], {
    petId: { ...id, ...petId },
    // Units that come back from orders may make it more than one stock-take counts.
    quantity: {
      ...boundsOf(InventoryItem.shape.quantity),
      minimum: boundsOf(InventoryUpdate.shape.quantity).minimum,
      ...free,
    },
    status,
  }),
  InventoryUpdate: taken(InventoryUpdate, 'A new count of the free units.', {
    quantity: { ...free, description: 'The new stock count' },
  }),
  Error: {
    description: 'What went wrong; every error has exactly these fields.',
    type: 'object',
    properties: {
      code: {
        type: 'string',
        maxLength: 64,
        pattern: '^[a-z][a-z_]*$',
        // Not `enum`: what is added to that breaks generated code. An open enumeration is read as a string.
        'x-extensible-enum': errorCodes,
        description: `Machine-readable error code. None is renamed within 1.x, but there may be more than these: ${errorCodes.map(code => `\`${code}\``).join(', ')}`,
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

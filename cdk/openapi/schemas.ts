import { errors, toBody } from '../../lib/errors.ts';
import { Category, CategoryReplacement, NewCategory } from '../../lib/schemas/category.ts';
import { maxId } from '../../lib/schemas/id.ts';
import { InventoryItem, InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { maxOrderQuantity, NewOrder, Order, OrderPatch } from '../../lib/schemas/order.ts';
import { NewPet, Pet, PetPatch, PetReplacement, PetStatus } from '../../lib/schemas/pet.ts';
import { maxLimit } from '../../lib/schemas/query.ts';
import { eventSchemas } from './event-schemas.ts';
import { ref } from './references.ts';
import { answered, type Schema, taken, toSchema } from './to-schema.ts';

export const id = { type: 'integer', format: 'int64', minimum: 1, maximum: maxId, example: 243719355140437 };

const petId = { ...id, description: 'Identifier of the animal' };
const categoryId = {
  ...id,
  description: 'Identifier of the category the animal belongs to',
  example: 243719355140436,
};
const orderId = { ...id, description: 'Unique order identifier', example: 243719355140438 };

/** On one line, and not of white space alone, which is dropped around it. */
const nameOf = (what: string, example: string) => ({
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '^\\s*[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?\\s*$',
  description: `The ${what} name`,
  example,
});
const petName = nameOf('animal’s', 'Tom');
const categoryName = nameOf('category', 'Cats');
const description = {
  type: 'string',
  maxLength: 1_000,
  description: 'Short description of the category',
  example: 'Independent, quiet, awake at night',
};

const shipDate = {
  type: 'string',
  format: 'date-time',
  maxLength: 64,
  description: 'Expected or actual ship date, with an offset or `Z`',
  example: '2027-01-04T09:00:00Z',
};
const complete = { type: 'boolean', description: 'Whether the order has been fulfilled', example: false };
const ordered = {
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum: maxOrderQuantity,
  description: 'Number of units ordered',
  example: 2,
};
const free = { description: 'Current stock count: the units free to sell', example: 3 };
const status = ref('schemas', 'PetStatus');

/** What callers take for one when it is absent. In words: of a `default`, many generators make a field that must be given. */
const absent = (field: { description: string }, value: string) => ({
  ...field,
  description: `${field.description}; ${value} when absent`,
});

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
    id: { ...petId, description: 'Unique identifier, assigned by the service on creation' },
    name: petName,
    categoryId,
    status,
  }),
  Pets: { description: 'Animals, newest first.', type: 'array', maxItems: maxLimit, items: ref('schemas', 'Pet') },
  NewCategory: taken(NewCategory, 'What creates a category.', { name: categoryName, description }),
  CategoryReplacement: taken(CategoryReplacement, 'What replaces a category: a NewCategory, or what GET returned.', {
    id: { ...categoryId, description: 'The id of the path, or absent' },
    name: categoryName,
    description,
  }),
  Category: answered(Category, 'A grouping of animals.', ['id', 'name'], {
    id: { ...categoryId, description: 'Unique identifier, assigned by the service on creation' },
    name: categoryName,
    description,
  }),
  NewOrder: taken(NewOrder, 'What places an order.', {
    petId,
    quantity: absent(ordered, '1'),
    shipDate,
    complete: absent(complete, 'false'),
  }),
  OrderPatch: taken(OrderPatch, 'A JSON merge patch of an order: the fields that change.', {
    shipDate: { ...shipDate, nullable: true, description: `${shipDate.description}; \`null\` removes it` },
    complete: { ...complete, example: true },
  }),
  Order: answered(Order, 'A purchase of some units of an animal.', [], {
    id: orderId,
    petId,
    quantity: ordered,
    shipDate,
    complete,
  }),
  InventoryItem: answered(InventoryItem, 'The free units and the status of a pet.', ['petId', 'quantity', 'status'], {
    petId,
    quantity: { type: 'integer', format: 'int64', minimum: 0, maximum: maxId, ...free },
    status,
  }),
  InventoryUpdate: taken(InventoryUpdate, 'A new count of the free units.', {
    quantity: { ...toSchema(InventoryUpdate.shape.quantity, 'input'), ...free, description: 'The new stock count' },
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

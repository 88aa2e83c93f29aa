import type { Category } from '../../lib/schemas/category.ts';
import type { InventoryItem } from '../../lib/schemas/inventory.ts';
import type { Order } from '../../lib/schemas/order.ts';
import type { Pet } from '../../lib/schemas/pet.ts';

/** What the document says about a field. Its type and bounds come from its Zod schema. */
export interface FieldText {
  readonly description: string;
  readonly example: unknown;
  /** A bound that no schema has. */
  readonly minimum?: number;
}

/** A field whose schema has a name of its own in the document. */
export interface NamedField {
  readonly schema: string;
  readonly example: unknown;
}

type FieldsOf<R> = Readonly<Record<keyof R, FieldText | NamedField>>;

const petId = { description: 'Identifier of the pet', example: 243719355140437 };
const categoryId = { description: 'Identifier of the category', example: 243719355140436 };
const assigned = 'Unique identifier, assigned by the service on creation';
const status = { schema: 'PetStatus', example: 'available' };

/** One text and one example for each field of a resource, in requests and responses. */
export const fields = {
  pet: {
    id: { ...petId, description: assigned },
    name: { description: 'The name of the pet', example: 'Tom' },
    categoryId,
    status,
  },
  category: {
    id: { ...categoryId, description: assigned },
    name: { description: 'The category name', example: 'Cats' },
    description: { description: 'Short description of the category', example: 'Independent, quiet, awake at night' },
  },
  order: {
    id: { description: 'Unique order identifier', example: 243719355140438 },
    petId,
    quantity: { description: 'Number of units ordered', example: 1 },
    shipDate: {
      description: 'Expected or actual ship date, with an offset or `Z`',
      example: '2027-01-04T09:00:00Z',
    },
    complete: { description: 'Whether the order is complete', example: false },
  },
  inventory: {
    petId,
    // Without the maximum of setInventory: cancellations can increase the quantity above it.
    quantity: {
      description: 'The number of units available to order, without units in open orders',
      example: 3,
      minimum: 0,
    },
    status,
  },
} satisfies {
  pet: FieldsOf<Pet>;
  category: FieldsOf<Category>;
  order: FieldsOf<Order>;
  inventory: FieldsOf<InventoryItem>;
};

const exampleOf = <F extends Readonly<Record<string, { readonly example: unknown }>>>(described: F) =>
  Object.fromEntries(Object.entries(described).map(([name, { example }]) => [name, example])) as {
    [Name in keyof F]: F[Name]['example'];
  };

/** An example of each resource. */
export const examples = {
  pet: exampleOf(fields.pet),
  category: exampleOf(fields.category),
  order: exampleOf(fields.order),
  inventory: exampleOf(fields.inventory),
};

import type { Resource } from '../../lib/model/kinds.ts';

/** A field's text in the document. With `schema`, type and bounds come from that component; without it, from the Zod schema. */
export type FieldText = { readonly example: unknown } & (
  | { readonly schema: string }
  /** Bounds that the Zod schema lacks. */
  | { readonly description: string; readonly minimum?: number; readonly maximum?: number }
);

const petId = { description: 'Identifier of the pet', example: 243719355140437 };
const categoryId = { description: 'Identifier of the category', example: 243719355140436 };
const assigned = 'Unique identifier, assigned by the service on creation';
const status = { schema: 'PetStatus', example: 'available' };

/** For each field of a resource, in requests and responses. */
export const texts = {
  pet: {
    id: { ...petId, description: assigned },
    name: { description: 'The name of the pet', example: 'Tom' },
    categoryId,
    status,
  },
  category: {
    id: { ...categoryId, description: assigned },
    name: { description: 'The category name', example: 'Cats' },
    description: {
      description: 'Short description of the category',
      example: 'Independent, quiet, awake at night',
    },
  },
  order: {
    id: { description: 'Unique order identifier', example: 243719355140438 },
    petId,
    quantity: { description: 'Number of units ordered', example: 1 },
    shipDate: {
      description: 'Expected or actual ship date. Takes any offset; returned in UTC, with `Z`',
      example: '2027-01-04T09:00:00Z',
    },
    complete: { description: 'Whether the order is complete', example: false },
  },
  inventory: {
    petId,
    // The quantity has no maximum, because cancellations can increase it above the maximum of setInventory.
    quantity: {
      description:
        'Units that can be ordered, also in events; with `units=stocked`, all units in the shop',
      example: 3,
      minimum: 0,
    },
    status,
  },
} satisfies Record<Resource['noun'], Readonly<Record<string, FieldText>>>;

export const examples = Object.fromEntries(
  Object.entries(texts).map(([noun, described]) => {
    const values = Object.entries(described).map(([name, { example }]) => [name, example]);
    return [noun, Object.fromEntries(values)];
  }),
) as Record<keyof typeof texts, Record<string, unknown>>;
